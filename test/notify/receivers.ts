/** Receives messages over real sockets of this machine: a mail server and a web server. */

import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export type Mail = { readonly from: string; readonly to: readonly string[]; readonly text: string }

/** A mail server without encryption (RFC 5321); `talk` has each line, `refuses` answers every sender with 451, `unknown` is refused. */
export async function startMailServer() {
  const mails: Mail[] = []
  const talk: string[] = []
  const state = { refuses: false, unknown: '' }
  const server = createServer((socket) => converse(socket, { mails, talk, state }))
  const port = await listen(server)
  return { port, mails, talk, state, close: () => void server.close() }
}

function converse(
  socket: Socket,
  { mails, talk, state }: { mails: Mail[]; talk: string[]; state: { refuses: boolean; unknown: string } },
): void {
  let [from, to, body, rest]: [string, string[], string[] | undefined, string] = ['', [], undefined, '']
  const say = (line: string): void => {
    talk.push(`S: ${line}`)
    socket.write(`${line}\r\n`)
  }
  const hear = (line: string): void => {
    talk.push(`C: ${line}`)
    if (body !== undefined) {
      if (line !== '.') return void body.push(line.replace(/^\.\./, '.'))
      mails.push({ from, to, text: body.join('\n') })
      ;[to, body] = [[], undefined]
      return say('250 Kept')
    }
    const [, address = ''] = /<(.*)>/.exec(line) ?? []
    if (/^EHLO /i.test(line)) return say('250 sink')
    if (/^MAIL FROM:/i.test(line)) {
      from = address
      return say(state.refuses ? '451 Come again later' : '250 Fine')
    }
    if (/^RCPT TO:/i.test(line)) {
      if (address === state.unknown) return say('550 Nobody here')
      to.push(address)
      return say('250 Fine')
    }
    if (/^DATA$/i.test(line)) {
      body = []
      return say('354 Speak')
    }
    if (/^STARTTLS$/i.test(line)) return say('502 Not here')
    if (/^QUIT$/i.test(line)) {
      say('221 Bye')
      return void socket.end()
    }
    say('250 Fine')
  }
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString()).split('\r\n')
    rest = lines.pop()!
    lines.forEach(hear)
  })
  say('220 sink')
}

export type Call = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A web server that keeps each call; `status` is what it answers. */
export async function startWebServer() {
  const calls: Call[] = []
  const state = { status: 204 }
  const server = createHttpServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      calls.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
      response.writeHead(state.status).end()
    })
  })
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}`, calls, state, close: () => void server.close() }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
