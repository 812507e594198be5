/** Runs `windrow service token`: gives another program, such as GDAL, an access token. */

import { resolve } from 'node:path'
import { writeTarget } from '../../core/sources/target.ts'
import { connectionOption, flag, jsonOption, text, type Command } from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { inform, plain, say } from '../screen/terminal.ts'

export const token: Command = {
  name: 'token',
  summary: 'Sign in and print an access token, or write the header file for GDAL and QGIS.',
  words: [],
  options: [
    {
      flags: '--gdal-header-file <FILE>',
      description: 'write the token to this file, which only you can read; then set GDAL_HTTP_HEADER_FILE to it',
    },
    connectionOption,
    jsonOption,
  ],
  examples: ['windrow service token', 'windrow service token --gdal-header-file windrow-token.txt'],
  async run(input, surroundings) {
    const { terminal, folder, signal } = surroundings
    const { client } = await reach(input, surroundings)
    const { text: secret, expires } = await client.accessToken(signal)
    const file = text(input, 'gdal-header-file')
    const until =
      expires === undefined ? 'The service does not give an expiry time.' : `Valid until ${expires.toISOString()}.`
    if (file === undefined) {
      say(terminal, flag(input, 'json') ? JSON.stringify({ token: secret, expires: expires ?? null }) : secret)
      if (!flag(input, 'json')) inform(terminal, until)
      return
    }
    const path = resolve(folder, file)
    await writeTarget(path, `Authorization: Bearer ${secret}\n`)
    const features = `OAPIF:${client.service.replace(/\/$/, '')}/ogc`
    if (flag(input, 'json')) say(terminal, JSON.stringify({ path, expires: expires ?? null, features }))
    else
      say(
        terminal,
        plain(`${path}   ${until}`),
        plain(`Set GDAL_HTTP_HEADER_FILE to it, then for example:  ogrinfo "${features}" plots`),
      )
  },
}
