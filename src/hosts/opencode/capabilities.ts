import type { Capabilities } from '../capability.ts'

export const capabilities: Capabilities = {
  ways: {
    identity: [
      {
        door: 'plugin',
        note: '`tool.execute.before` signs each call; the system prompt of each request says who it is',
      },
    ],
    inject: [{ door: 'plugin', note: '`experimental.chat.system.transform`: anew for each request' }],
    'mid-turn': [{ door: 'plugin', note: 'the same: in the request after the next tool call' }],
    continue: [{ door: 'prompt-async', note: 'OpenCode holds no turn open: a new one starts right after it' }],
    wake: [{ door: 'prompt-async', note: '`session.promptAsync`, with the agent and model of its last turn' }],
    activity: [{ door: 'plugin', note: '`session.status`, `session.idle`, permissions, questions, archived, deleted' }],
  },
}
