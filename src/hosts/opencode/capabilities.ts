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
    create: [{ door: 'plugin', note: 'from a session of OpenCode: one more in its process; not from `opencode run`' }],
    switch: [{ door: 'plugin', note: 'its terminal shows it; tmux brings the window to the front', alone: true }],
    close: [{ door: 'plugin', note: 'archived: the conversation is kept, and so is the terminal', alone: true }],
    cancel: [{ door: 'plugin', note: '`session.abort`', alone: true }],
    rename: [{ door: 'plugin', note: 'its title', alone: true }],
    set_model: [
      { door: 'plugin', note: '`opencode serve` only: a terminal keeps the model its person selected', alone: true },
    ],
    set_input: [{ door: 'plugin', note: 'in a terminal: one line, behind what stands there', alone: true }],
  },
}
