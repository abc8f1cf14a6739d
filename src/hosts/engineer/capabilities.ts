import type { Capabilities } from '../capability.ts'

export const capabilities: Capabilities = {
  about: 'Tested with a reference IDE (`test/ide`), not with the command line itself.',
  ways: {
    identity: [{ door: 'plugin', note: 'told its id with each request; the model passes it as `sessionId`' }],
    inject: [{ door: 'plugin', note: 'onSend' }],
    'mid-turn': [{ door: 'plugin', note: 'onContinue' }],
    continue: [{ door: 'plugin', note: 'onContinue at the stop' }],
    activity: [{ door: 'plugin', note: 'working, idle, ended' }],
  },
}
