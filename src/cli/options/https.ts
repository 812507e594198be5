/** Listens for a command, over https where a certificate is named, and warns of plain http that other machines can reach. */

import { resolve } from 'node:path'
import { isLoopback } from '../../client/address.ts'
import { WindrowError } from '../../core/error.ts'
import { fileSource, readAll } from '../../core/sources/source.ts'
import type { Answering, Served, ServeOptions } from '../../service/serve.ts'
import { text, wholeNumber, type Input, type Specs, type Surroundings } from './command.ts'
import { inform } from '../screen/terminal.ts'

export const listenOptions: Specs = {
  '--port <NUMBER>': 'the port to listen on (default: any free port)',
  '--host <ADDRESS>': 'the address to listen on (default: 127.0.0.1)',
}
export const tlsOptions: Specs = {
  '--tls-cert <FILE>': 'serve over https with this certificate (PEM)',
  '--tls-key <FILE>': 'the private key of the certificate (PEM)',
}

/** The certificate and key that the options name; undefined without them. */
export async function readTls(input: Input, folder: string): Promise<{ cert: string; key: string } | undefined> {
  const files = ['tls-cert', 'tls-key'].map((name) => text(input, name))
  const [cert, key] = await Promise.all(
    files.map(
      async (name) => name && new TextDecoder().decode(await readAll(await fileSource(resolve(folder, name)), 1 << 20)),
    ),
  )
  if (cert === undefined && key === undefined) return undefined
  if (cert !== undefined && key !== undefined) return { cert, key }
  throw new WindrowError('option-invalid', '--tls-cert and --tls-key belong together.', {
    hint: 'Add both, or neither.',
  })
}

/** The port that an option names. */
export function portOf(input: Input, name: string): number | undefined {
  return wholeNumber(input, name, { from: 0, to: 65_535 })
}

/** Serves what `fetch` answers; whatever else a service has, may be left out. */
export async function listenAt(
  answering: Pick<Answering, 'fetch'> & Partial<Answering>,
  options: ServeOptions,
  { terminal }: Surroundings,
): Promise<Served> {
  // Loaded only here: most commands serve nothing.
  const { serve } = await import('../../service/serve.ts')
  const { host, tls } = options
  if (tls === undefined && host !== undefined && !isLoopback(host))
    inform(
      terminal,
      `Passwords and records go to ${host} over plain http: anyone on the network can read them.`,
      'Add --tls-cert and --tls-key, or put an https server in front.',
    )
  return serve({ isDemo: false, authPath: '', isHealthy: () => true, measures: () => [], ...answering }, options)
}
