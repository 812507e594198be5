/**
 * Reads pages of 1,000 plots: one reader all pages three times, or 50 readers for 20 seconds from any page. An incomplete answer
 * ends it with exit 1.
 */

import { Agent, get } from 'node:http'

const [url, token, reading] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
let total = 0
const headers = { Authorization: `Bearer ${token}` }

function read(offset) {
  return new Promise((resolve, reject) => {
    const path = `${url}/ogc/collections/plots/items?limit=1000&offset=${offset}`
    get(path, { agent, headers }, (answer) => {
      let bytes = 0
      let tail
      answer.on('data', (chunk) => {
        bytes += chunk.length
        tail = chunk
      })
      answer.on('error', reject)
      answer.on('end', () => {
        const isWhole = answer.statusCode === 200 && bytes > 1e6 && tail.at(-1) === 0x7d
        total += bytes
        if (isWhole) resolve()
        else reject(new Error(`The page at ${offset} came with status ${answer.statusCode} and ${bytes} bytes.`))
      })
    }).on('error', reject)
  })
}

// 10,000 plots are ten pages.
const first = await new Promise((resolve, reject) => {
  get(`${url}/ogc/collections/plots/items?limit=1000`, { agent, headers }, (answer) => {
    let text = ''
    answer.on('data', (chunk) => (text += text.length < 500 ? chunk.toString('latin1') : ''))
    answer.on('end', () => resolve(text))
  }).on('error', reject)
})
const pages = Math.floor(Number(/"numberMatched":(\d+)/.exec(first)[1]) / 1000)

const begun = performance.now()
if (reading === 'pages') for (let page = 0; page < 300; page += 1) await read((page % pages) * 1000)
else {
  const one = async (reader) => {
    for (let page = reader * 7; performance.now() - begun < 20_000; page += 1) await read((page % pages) * 1000)
  }
  await Promise.all(Array.from({ length: 50 }, (_, reader) => one(reader)))
}
console.log(JSON.stringify({ seconds: (performance.now() - begun) / 1000, bytes: total }))
agent.destroy()
