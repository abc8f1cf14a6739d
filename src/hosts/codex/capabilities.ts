import type { Capabilities } from '../capability.ts'

export const capabilities: Capabilities = {
  about:
    'Hooks run once their person has reviewed them in Codex. What the background server holds, it steers (`app-server`); a terminal without it (`--no-daemon`) is steered by tmux. Which pane shows a conversation of the server is known only where create_session opened the window.',
  ways: {
    identity: [
      { door: 'hooks', note: 'SessionStart says who it is; Codex signs each call itself (`_meta.sessionId`)' },
    ],
    inject: [{ door: 'hooks', note: 'UserPromptSubmit' }],
    'mid-turn': [{ door: 'hooks', note: 'PostToolUse: after the next tool call' }],
    continue: [{ door: 'hooks', note: 'Stop: the turn goes on' }],
    wake: [
      {
        door: 'queue',
        note: '`codex queue`: at once by the background server, within some 10 s by a terminal without',
      },
    ],
    activity: [{ door: 'hooks', note: 'UserPromptSubmit, PermissionRequest, Interrupt, Stop, SessionEnd' }],
    create: [
      { door: 'app-server', note: 'thread/start, where there is no tmux and a terminal has started the server' },
    ],
    close: [
      {
        door: 'app-server',
        note: 'the conversation is kept; a window that was opened for it goes, where it still shows it',
      },
    ],
    cancel: [{ door: 'app-server', note: 'turn/interrupt' }],
    rename: [{ door: 'app-server', note: 'thread/name/set, and a window that was opened for it' }],
    set_model: [{ door: 'app-server', note: 'thread/settings/update: from the next turn on; the default stays' }],
  },
}
