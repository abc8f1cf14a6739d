import * as z from 'zod'
import { defineTool } from '../define.ts'

export const createSession = defineTool({
  name: 'create_session',
  toolset: 'tabs',
  title: 'Open a new session',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  description:
    'Open a new AI session in a tab of its own (in the IDE, tmux or the background) and give it its first prompt. Use it to hand work to a helper that goes on beside you. Then wait_for_sessions or send_message with the sessionId; the answer says by what evidence it was opened.',
  input: {
    prompt: z.string().describe('What it is to do; it knows nothing of your conversation').optional(),
    task: z.string().describe('The same in one line, for others').optional(),
    name: z.string().describe('What others call it').optional(),
    projectPath: z.string().describe('Default: yours, as host').optional(),
    host: z.string().describe('claude-code, codex, opencode').optional(),
    model: z.string().optional(),
    scene: z.string().optional(),
    groupId: z.string().optional(),
  },
  run({ bus, caller }, input) {
    return bus.create(caller, input)
  },
})
