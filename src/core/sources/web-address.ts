/** Parses web addresses of files: removes secrets for display, and recognises addresses that are not on the internet. */

import { BlockList, isIP, isIPv6 } from 'node:net'
import { WindrowError } from '../error.ts'
import { once } from '../once.ts'

/** Where a file lies in a store that speaks S3. */
export type S3Place = { readonly bucket: string; readonly key: string }

/**
 * The address of a file as a person writes it. `member` is the part after `#`; `shown` is for messages and reports, without the
 * query, which may be a key to the file.
 */
export type NamedAddress = {
  readonly at: URL | S3Place
  readonly member: string | undefined
  readonly shown: string
}

/** True for a name that is meant as a web address, or as a file in a store that speaks S3. */
export function isWebAddress(name: string): boolean {
  return /^https?:\/\//i.test(name) || isS3Address(name)
}

/** True for a name that is meant as a file in a store that speaks S3. */
export function isS3Address(name: string): boolean {
  return /^s3:\/\//i.test(name)
}

/** Parses a web address. Throws a WindrowError, which does not repeat the address, if it cannot be used. */
export function parseWebAddress(text: string): NamedAddress {
  if (isS3Address(text)) return parseS3Address(text)
  if (!URL.canParse(text) || !isWebAddress(text))
    throw new WindrowError('address-refused', 'The web address of the file is not a valid address.', {
      hint: 'It looks like https://farms.example/export/paddocks.csv.',
    })
  const url = new URL(text)
  const { username, password, hash } = url
  url.username = url.password = url.hash = ''
  const shown = shownAddress(url)
  if (username !== '' || password !== '')
    throw new WindrowError('address-refused', `The address of "${shown}" contains a user name or password.`, {
      hint: 'Anybody who sees the pipeline or the command would know it. Set it in WINDROW_WEB_SECRETS, or in a file that WINDROW_WEB_SECRETS_FILE names: https://NAME:PASSWORD@farms.example',
    })
  return { at: url, shown, member: hash.length > 1 ? decoded(hash.slice(1)) : undefined }
}

/** A key is taken as it is written, without percent signs for other characters. */
function parseS3Address(text: string): NamedAddress {
  const [, bucket = '', key = '', member] = /^s3:\/\/([^/#]*)\/?([^#]*)(?:#(.*))?$/is.exec(text) ?? []
  const isKey = key !== '' && !key.endsWith('/') && !/(?:^|\/)\.{1,2}(?:\/|$)|\p{Cc}/u.test(key)
  if (isKey && /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket))
    return { at: { bucket, key }, shown: `s3://${bucket}/${key}`, member: member || undefined }
  throw new WindrowError('address-refused', 'The s3 address of the file is not a valid address.', {
    hint: 'It names a bucket and a file in it, such as s3://farms/rimu/paddocks.csv. The access key is set in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  })
}

/** A web address without its secrets. */
export function shownAddress(url: URL): string {
  return `${url.origin}${decoded(url.pathname)}${url.search === '' ? '' : '?...'}`
}

/** A text with the secrets removed from the web addresses in it. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/((?:https?|s3):\/\/)[^\s"'/]*@/gi, '$1')
    .replace(/(https?:\/\/[^\s"'?#]*)\?[^\s"'#]*/gi, '$1?...')
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

export function isOwnMachine(hostname: string): boolean {
  const address = addressIn(hostname)
  return hostname === 'localhost' || (address !== undefined && networkOf(address)?.isThisMachine === true)
}

const thisMachine = { name: 'this machine itself', networks: ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'] }

/** Networks that are not on the internet, by what they are in messages (IANA's registries of special-purpose addresses). */
const places: readonly { readonly name: string; readonly networks: readonly string[] }[] = [
  thisMachine,
  { name: 'a private network', networks: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'] },
  { name: 'the local network', networks: ['169.254.0.0/16', 'fe80::/10'] },
  { name: 'the network of a provider', networks: ['100.64.0.0/10'] },
  { name: 'many machines at once', networks: ['224.0.0.0/4', 'ff00::/8', '255.255.255.255/32'] },
  // These contain another address, which may be any of the above.
  {
    name: 'an address within an address',
    networks: ['::ffff:0:0/96', '::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32'],
  },
  {
    name: 'a network for tests and documents',
    networks: ['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  },
  { name: 'no machine at all', networks: ['240.0.0.0/4', '100::/64', '2001:db8::/32', '3fff::/20', '5f00::/16'] },
]

const lists = once(() =>
  places.map((each) => {
    const list = { v4: new BlockList(), v6: new BlockList() }
    for (const network of each.networks) {
      const [address = '', bits] = network.split('/')
      if (isIPv6(address)) list.v6.addSubnet(address, Number(bits), 'ipv6')
      else list.v4.addSubnet(address, Number(bits), 'ipv4')
    }
    return { place: { name: each.name, isThisMachine: each === thisMachine }, ...list }
  }),
)

/** The network that an address belongs to, if not the internet. */
export function networkOf(address: string) {
  // One list per family: a BlockList also applies IPv4 networks to their mapped IPv6 ones, and `::/96` to all of IPv4.
  const isSixth = isIPv6(address)
  return lists().find(({ v4, v6 }) => (isSixth ? v6.check(address, 'ipv6') : v4.check(address, 'ipv4')))?.place
}
