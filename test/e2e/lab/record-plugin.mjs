// A plugin of OpenCode that keeps what it was given: `OPENCODE_RECORD=FILE`, one line of JSON per hook and event.
import { appendFileSync } from 'node:fs'

const file = process.env.OPENCODE_RECORD
const keep = (hook, given) => appendFileSync(file, `${JSON.stringify({ hook, ...given })}\n`)
const both = (hook) => async (input, output) => keep(hook, { input, output })

export const Record = async (input, options) => {
  const { client, directory, worktree, serverUrl } = input
  keep('init', {
    input: { keys: Object.keys(input), client: Object.keys(client), directory, worktree, serverUrl },
    options,
  })
  return {
    config: async (config) => keep('config', { input: config }),
    event: async (given) => keep(`event.${given.event.type}`, { input: given }),
    'chat.message': both('chat.message'),
    'tool.execute.before': both('tool.execute.before'),
    'tool.execute.after': both('tool.execute.after'),
    'permission.ask': both('permission.ask'),
    'chat.params': async ({ model, provider, ...more }) => keep('chat.params', { input: more }),
    'experimental.chat.system.transform': async (given, { system }) =>
      keep('experimental.chat.system.transform', { input: given, output: { system } }),
    'experimental.session.compacting': both('experimental.session.compacting'),
    dispose: async () => keep('dispose', { input: {} }),
  }
}
