// Says which Node runs it and with what words, then ends with the first word as its exit code, or waits for a signal.
const [code, ...words] = process.argv.slice(2)
if (code === 'wait') {
  process.on('SIGTERM', () => process.exit(9))
  setInterval(() => undefined, 1000)
} else process.exitCode = Number(code)
process.stdout.write(`${JSON.stringify({ node: process.versions.node, words })}\n`)
