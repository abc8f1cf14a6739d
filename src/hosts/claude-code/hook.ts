/** One hook of Claude Code: its payload in, its answer out. Translates; what is said is decided in core. */

import type { HostPlugin, HostTraits } from '../../core/host-plugin.ts'
import { cleanId } from '../../core/ids.ts'
import { claudeCode } from './host.ts'
import type { Payload } from './payload.ts'

export const TRAITS: HostTraits = { kind: claudeCode.kind, injection: 'kept', doors: claudeCode.doors, gated: true }

/** What the process does: one JSON object on stdout, or text on stderr with exit code 2, which wakes (asyncRewake). */
export interface HookAnswer {
  readonly json?: unknown
  readonly wake?: string
  /** The host watches this file from now on. */
  readonly wakeFile?: string
}

const SILENT: HookAnswer = {}

type Handler = (plugin: HostPlugin, payload: Payload) => Promise<HookAnswer>

const HANDLERS: Readonly<Record<string, Handler>> = {
  async SessionStart(plugin, { conversation, source }) {
    const started = await plugin.onStart(conversation, source)
    if (started === undefined) return SILENT
    return {
      wakeFile: started.wakeFile,
      json: {
        hookSpecificOutput: {
          hookEventName: 'SessionStart',
          ...(started.injection !== undefined && { additionalContext: started.injection.text }),
          watchPaths: [started.wakeFile],
        },
      },
    }
  },
  async UserPromptSubmit(plugin, { conversation, prompt }) {
    return context('UserPromptSubmit', (await plugin.onSend(conversation, prompt))?.text)
  },
  async PostToolBatch(plugin, { conversation }) {
    return context('PostToolBatch', (await plugin.onContinue(conversation, { at: 'tools' }))?.text)
  },
  async Stop(plugin, { conversation, isHeld, background, isScheduled }) {
    const injection = await plugin.onContinue(conversation, { at: 'stop', isHeld, background, isScheduled })
    return injection?.continues ? { json: { decision: 'block', reason: injection.text } } : SILENT
  },
  async Notification(plugin, { conversation, notification }) {
    const waitsFor = WAITS[notification]
    if (waitsFor !== undefined) await plugin.onNotice(conversation, waitsFor)
    return SILENT
  },
  async FileChanged(plugin, { conversation }) {
    const wake = await plugin.onWake(conversation)
    return wake === undefined ? SILENT : { wake }
  },
  async SessionEnd(plugin, { conversation, reason }) {
    await plugin.onEnd(conversation, reason)
    return SILENT
  },
  // Only for our own tools. The host hands on what stands here, so the model cannot set it.
  async PreToolUse(_plugin, { conversation, toolInput, agentId }) {
    const updatedInput = {
      ...toolInput,
      _session: cleanId(conversation.hostKey),
      ...(agentId !== undefined && { _agent: agentId }),
    }
    return { json: { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } } }
  },
}

const WAITS: Readonly<Record<string, 'needs_permission' | 'needs_input'>> = {
  permission_prompt: 'needs_permission',
  elicitation_dialog: 'needs_input',
}

/** An event that is not known is answered with silence. */
export async function handle(plugin: HostPlugin, payload: Payload): Promise<HookAnswer> {
  const handler = Object.hasOwn(HANDLERS, payload.event) ? HANDLERS[payload.event] : undefined
  return handler === undefined ? SILENT : handler(plugin, payload)
}

function context(hookEventName: string, additionalContext: string | undefined): HookAnswer {
  return additionalContext === undefined
    ? SILENT
    : { json: { hookSpecificOutput: { hookEventName, additionalContext } } }
}
