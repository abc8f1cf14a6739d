import type { Capabilities } from '../capability.ts'

export const capabilities: Capabilities = {
  ways: {
    identity: [{ door: 'hooks', note: 'SessionStart says who it is, PreToolUse signs each call of our tools' }],
    inject: [{ door: 'hooks', note: 'UserPromptSubmit' }],
    'mid-turn': [{ door: 'hooks', note: 'PostToolBatch: after the next tool call' }],
    continue: [{ door: 'hooks', note: 'Stop: the turn goes on, at most three times in a row' }],
    wake: [{ door: 'file-watch', note: 'FileChanged with asyncRewake, while its program runs' }],
    activity: [{ door: 'hooks', note: 'UserPromptSubmit, Notification, Stop, SessionEnd' }],
    create: [{ door: 'background', note: '`claude --bg`, where there is no tmux' }],
    close: [{ door: 'background', note: '`claude stop`: the conversation is kept' }],
  },
}
