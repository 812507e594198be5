/** Reads the certificate of a command that listens, and warns where it has none and other machines can reach it. */

import { resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { fileSource, readAll } from '../core/sources/source.ts'
import { text, type Input, type OptionSpec, type Surroundings } from './command.ts'
import { plain } from './terminal.ts'

export const tlsOptions: readonly OptionSpec[] = [
  { flags: '--tls-cert <FILE>', description: 'serve over https with this certificate (PEM)' },
  { flags: '--tls-key <FILE>', description: 'the private key of the certificate (PEM)' },
]

/** The certificate and key that the options name; undefined without them. */
export async function readTls(input: Input, folder: string): Promise<{ cert: string; key: string } | undefined> {
  const files = ['tls-cert', 'tls-key'].map((name) => text(input, name))
  const [cert, key] = await Promise.all(
    files.map(async (name) => name && decode(await readAll(await fileSource(resolve(folder, name)), 1 << 20))),
  )
  if (cert === undefined && key === undefined) return undefined
  if (cert !== undefined && key !== undefined) return { cert, key }
  throw new WindrowError('option-invalid', '--tls-cert and --tls-key belong together.', {
    hint: 'Add both, or neither.',
  })
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** Warns that others on the network can read what is sent to `host`. */
export function warnOfPlainHttp(host: string, { err }: Surroundings['terminal']): void {
  err.write(`${plain(`Passwords and records go to ${host} over plain http: anyone on the network can read them.`)}\n`)
  err.write('Add --tls-cert and --tls-key, or put an https server in front.\n')
}
