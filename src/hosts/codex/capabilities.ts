import type { Capabilities } from '../capability.ts'

export const capabilities: Capabilities = {
  about:
    'Hooks run once their person has reviewed them in Codex. By tmux only a terminal without the background server (`--no-daemon`) can be steered: of the others nothing says which pane shows which session.',
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
  },
}
