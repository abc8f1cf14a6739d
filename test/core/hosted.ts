/** A host made up for tests: conversations in processes, reported moment by moment as a host’s hooks would. */

import { createHostPlugin } from '../../src/core/attend.ts'
import { bridged } from '../../src/core/bridge.ts'
import type {
  ContinueMoment,
  Conversation,
  HostPlugin,
  HostTraits,
  Notice,
  Started,
  StartSource,
} from '../../src/core/host-plugin.ts'
import type { ProcessRef } from '../../src/core/ports.ts'
import type { Client, World } from './world.ts'

export const KEPT: HostTraits = { kind: 'hosted', injection: 'kept', doors: ['file-watch'] }
export const PER_REQUEST: HostTraits = { kind: 'inline', injection: 'per-request', doors: [] }

export interface Talk {
  readonly conversation: Conversation
  readonly process: ProcessRef
  /** Its MCP connection: calls of our tools out of this conversation. */
  readonly tools: Client
  started(source?: StartSource): Promise<Started | undefined>
  /** The text that was told, as by all of these. */
  start(source?: StartSource): Promise<string | undefined>
  prompt(text?: string): Promise<string | undefined>
  afterTools(): Promise<string | undefined>
  stop(moment?: Omit<ContinueMoment, 'at'>): Promise<string | undefined>
  notice(notice: Notice): Promise<void>
  wake(): Promise<string | undefined>
  end(reason?: string): Promise<void>
}

export interface Host {
  readonly plugin: HostPlugin
  /** The same key in the same process is the same conversation. */
  talk(hostKey: string, more?: Partial<Conversation>): Talk
}

export function openHost(world: World, traits = KEPT): Host {
  const context = world.context()
  const plugin = bridged(context, traits, createHostPlugin(context, traits))
  return {
    plugin,
    talk(hostKey, more = {}) {
      const process = more.client ?? world.process()
      const conversation: Conversation = { hostKey, projectPath: '/p/shop', client: process, ...more }
      return {
        conversation,
        process,
        tools: world.client({ client: process, kind: traits.kind, doors: traits.doors }),
        started: (source = 'startup') => plugin.onStart(conversation, source),
        start: async (source = 'startup') => (await plugin.onStart(conversation, source))?.injection?.text,
        prompt: async (text = 'Go on.') => (await plugin.onSend(conversation, text))?.text,
        afterTools: async () => (await plugin.onContinue(conversation, { at: 'tools' }))?.text,
        stop: async (moment = {}) => (await plugin.onContinue(conversation, { at: 'stop', ...moment }))?.text,
        notice: (notice) => plugin.onNotice(conversation, notice),
        wake: () => plugin.onWake(conversation),
        end: (reason = 'prompt_input_exit') => plugin.onEnd(conversation, reason),
      }
    },
  }
}

/** Name and id in a text that says who this is. */
export function who(text: string | undefined): { name: string; id: string } | undefined {
  const [, name, id] = /this is session "([^"]+)" \(id ([^)]+)\)/.exec(text ?? '') ?? []
  return name === undefined || id === undefined ? undefined : { name, id }
}
