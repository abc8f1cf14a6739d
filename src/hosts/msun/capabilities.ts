import type { Capabilities, Way } from '../capability.ts'

const asked: readonly Way[] = [
  { door: 'bridge', note: '`__actions` of session-manager-bridge, asked for in a tab of the same IDE' },
]

export const capabilities: Capabilities = {
  about: 'Tested with a reference IDE that loads the three plugins (`test/ide`), not with the IDE itself.',
  ways: {
    identity: [{ door: 'plugin', note: 'told its id with each request; the model passes it as `sessionId`' }],
    inject: [{ door: 'plugin', note: 'onSend' }],
    'mid-turn': [{ door: 'plugin', note: 'onContinue' }],
    continue: [{ door: 'plugin', note: 'onContinue at the stop' }],
    wake: [{ door: 'push', note: 'a send_message action for the front end; from a tab of the same IDE' }],
    activity: [{ door: 'plugin', note: 'working, idle, ended' }],
    create: asked,
    switch: asked,
    close: asked,
    cancel: asked,
    rename: asked,
    set_model: asked,
    set_scene: asked,
    set_input: asked,
    pin: asked,
  },
}
