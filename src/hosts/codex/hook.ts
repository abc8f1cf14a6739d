/**
 * One hook of Codex: its payload in, its answer out. Translates; what is said is decided in core. Codex throws a whole
 * answer away for one field it does not know, so each event gets exactly what its schema has.
 */

import type { HostPlugin, HostTraits } from '../../core/host-plugin.ts'
import { codex } from './host.ts'
import type { Payload } from './payload.ts'

/**
 * One background server runs the conversations of all terminals; and a conversation that is cleared or branched has an id of
 * its own, which its calls carry as well.
 */
export const TRAITS: HostTraits = {
  kind: codex.kind,
  injection: 'kept',
  doors: codex.doors,
  sharesClient: true,
  opensOnce: true,
}

type Handler = (plugin: HostPlugin, payload: Payload) => Promise<object | undefined>

const HANDLERS: Readonly<Record<string, Handler>> = {
  async SessionStart(plugin, { conversation, source }) {
    return context('SessionStart', (await plugin.onStart(conversation, source))?.injection?.text)
  },
  async UserPromptSubmit(plugin, { conversation, prompt }) {
    return context('UserPromptSubmit', (await plugin.onSend(conversation, prompt))?.text)
  },
  async PostToolUse(plugin, { conversation }) {
    return context('PostToolUse', (await plugin.onContinue(conversation, { at: 'tools' }))?.text)
  },
  async PermissionRequest(plugin, { conversation }) {
    await plugin.onNotice(conversation, 'needs_permission')
    return undefined
  },
  async Stop(plugin, { conversation, isHeld }) {
    const injection = await plugin.onContinue(conversation, { at: 'stop', isHeld })
    return injection?.continues ? { decision: 'block', reason: injection.text } : undefined
  },
  async Interrupt(plugin, { conversation }) {
    await plugin.onNotice(conversation, 'idle')
    return undefined
  },
  async SessionEnd(plugin, { conversation, reason }) {
    // A conversation that was cleared goes on as another one here, so that even such an end is one.
    await plugin.onEnd(conversation, `thread closed: ${reason}`)
    return undefined
  },
}

/** What goes to stdout. An event that is not known is answered with silence. */
export async function handle(plugin: HostPlugin, payload: Payload): Promise<object | undefined> {
  const handler = Object.hasOwn(HANDLERS, payload.event) ? HANDLERS[payload.event] : undefined
  return handler?.(plugin, payload)
}

function context(hookEventName: string, additionalContext: string | undefined): object | undefined {
  return additionalContext === undefined ? undefined : { hookSpecificOutput: { hookEventName, additionalContext } }
}
