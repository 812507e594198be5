/** Runs `windrow service about`. */

import { flag, connectionOption, jsonOption, type Command } from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { plain, say } from '../screen/terminal.ts'

export const about: Command = {
  name: 'about',
  summary: 'Show the title and description of the service, and the parts of OGC API Features it supports.',
  words: [],
  options: [connectionOption, jsonOption],
  examples: ['windrow service about'],
  async run(input, surroundings) {
    const { client } = await reach(input, surroundings)
    const { signal, terminal } = surroundings
    const [landingPage, conformsTo] = await Promise.all([client.landingPage(signal), client.conformance(signal)])
    if (flag(input, 'json')) say(terminal, JSON.stringify({ landingPage, conformsTo }))
    else {
      const texts = [landingPage['title'], landingPage['description']]
      say(terminal, ...[client.service, ...texts, ...conformsTo].filter((each) => typeof each === 'string').map(plain))
    }
  },
}
