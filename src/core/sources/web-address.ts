/** Parses web addresses of files: removes secrets for display, and recognises addresses that are not on the internet. */

import { BlockList, isIP, isIPv6 } from 'node:net'
import { WindrowError } from '../error.ts'
import { once } from './once.ts'

/**
 * A web address in parts. `url` has no user name, password or `#` part; `member` is the part after `#`;
 * `shown` is for messages and reports, without the query, which may be a key to the file.
 */
export type WebAddress = {
  readonly url: URL
  readonly authorization: string | undefined
  readonly member: string | undefined
  readonly shown: string
}

/** True for a name that is meant as a web address. */
export function isWebAddress(name: string): boolean {
  return /^https?:\/\//i.test(name)
}

/** Parses a web address. Throws a WindrowError, which does not repeat the address, if it cannot be used. */
export function parseWebAddress(text: string): WebAddress {
  if (!URL.canParse(text) || !isWebAddress(text))
    throw new WindrowError('address-refused', 'The web address of the file is not a valid address.', {
      hint: 'It looks like https://farms.example/export/paddocks.csv.',
    })
  const url = new URL(text)
  const { username, password, hash } = url
  const named = username !== '' || password !== ''
  url.username = url.password = url.hash = ''
  const shown = shownAddress(url)
  if (named && url.protocol === 'http:' && !isOwnMachine(url.hostname))
    throw new WindrowError(
      'address-refused',
      `"${shown}" would send a password over plain http, where anybody on the network can read it.`,
      { hint: 'Use https, or leave out the user name and password.' },
    )
  const credentials = `${decoded(username)}:${decoded(password)}`
  return {
    url,
    shown,
    authorization: named ? `Basic ${Buffer.from(credentials).toString('base64')}` : undefined,
    member: hash.length > 1 ? decoded(hash.slice(1)) : undefined,
  }
}

/** A web address without its secrets. */
export function shownAddress(url: URL): string {
  return `${url.origin}${decoded(url.pathname)}${url.search === '' ? '' : '?...'}`
}

/** A text with the secrets removed from the web addresses in it. */
export function withoutSecrets(text: string): string {
  return text.replace(/(https?:\/\/)[^\s"'/]*@/gi, '$1').replace(/(https?:\/\/[^\s"'?#]*)\?[^\s"'#]*/gi, '$1?...')
}

/** Decodes percent signs; returns the text unchanged if that fails. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The IP address in a host name, without the brackets of a URL; undefined for a name. */
export function addressIn(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}

function isOwnMachine(hostname: string): boolean {
  const address = addressIn(hostname)
  return hostname === 'localhost' || (address !== undefined && placeOf(address) === 'this machine itself')
}

/** Networks that are not on the internet, by what they are (IANA's registries of special-purpose addresses). */
const places: readonly (readonly [place: string, networks: readonly string[]])[] = [
  ['this machine itself', ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128']],
  ['a private network', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10']],
  ['the local network', ['169.254.0.0/16', 'fe80::/10']],
  ['the network of a provider', ['100.64.0.0/10']],
  ['many machines at once', ['224.0.0.0/4', 'ff00::/8', '255.255.255.255/32']],
  // These contain another address, which may be any of the above.
  [
    'an address within an address',
    ['::ffff:0:0/96', '::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32'],
  ],
  [
    'a network for tests and documents',
    ['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ],
  ['no machine at all', ['240.0.0.0/4', '100::/64', '2001:db8::/32', '3fff::/20', '5f00::/16']],
]

const lists = once(() =>
  places.map(([place, networks]) => {
    const list = { v4: new BlockList(), v6: new BlockList() }
    for (const network of networks) {
      const [address = '', bits] = network.split('/')
      if (isIPv6(address)) list.v6.addSubnet(address, Number(bits), 'ipv6')
      else list.v4.addSubnet(address, Number(bits), 'ipv4')
    }
    return { place, ...list }
  }),
)

/** The kind of network an address belongs to, if not the internet. */
export function placeOf(address: string): string | undefined {
  // One list per family: a BlockList also applies IPv4 networks to their mapped IPv6 ones, and `::/96` to all of IPv4.
  const isSixth = isIPv6(address)
  return lists().find(({ v4, v6 }) => (isSixth ? v6.check(address, 'ipv6') : v4.check(address, 'ipv4')))?.place
}
