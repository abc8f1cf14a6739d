/**
 * The plugins that an IDE loads into its own process: they open the bus and call the rules. Nothing they do may disturb a
 * tab: whatever goes wrong is silence, within a second, and a line in log/hooks.log for `session-mcp doctor`.
 */

import { attached } from '../src/core/attach.ts'
import { createHostPlugin } from '../src/core/attend.ts'
import { mayAsk, takeActions } from '../src/core/bridge.ts'
import type { Conversation, HostTraits, Injection } from '../src/core/host-plugin.ts'
import type { PluginAnswer, PluginContext, PluginModule } from '../src/core/plugin-module.ts'
import { noteSetting, settingLine } from '../src/core/setting.ts'
import { conversationOf, type PluginFor, readContext, traitsOf } from '../src/hosts/ide.ts'
import { pluginActionOf } from '../src/hosts/ide-actions.ts'
import { homeOf } from './ide-home.ts'
import { type HookBus, hookLog, openHookBus } from './open.ts'

/** What a turn may lose to one call, ms. */
const LIMIT_MS = 1_000

export interface PluginPlace extends PluginFor {
  /** The folder of the plugin: `config.json` beside it may name the home. */
  readonly folder: string
}

interface Call {
  readonly bus: HookBus
  readonly context: PluginContext
  readonly conversation: Conversation
  readonly traits: HostTraits
}

type Work = (call: Call) => Promise<PluginAnswer | undefined>
type Hook = NonNullable<PluginModule['onSend']>

/** Who the tab is, what is unread, what it follows; and for the bus, what the tab is doing. */
export function coordination(name: string, place: PluginPlace): Required<Omit<PluginModule, 'onToolResult'>> {
  const hook = hooksOf(name, place)
  return {
    name,
    onSend: hook('onSend', async ({ bus, traits, conversation, context }) =>
      told(await createHostPlugin(bus.context, traits).onSend(conversation, context.prompt ?? '')),
    ),
    onContinue: hook('onContinue', async ({ bus, traits, conversation, context }) => {
      const { at = 'tools', isHeld = false } = context
      const moment = at === 'stop' ? { at, isHeld } : { at }
      return told(await createHostPlugin(bus.context, traits).onContinue(conversation, moment))
    }),
    onEnd: hook('onEnd', async ({ bus, traits, conversation, context }) => {
      await createHostPlugin(bus.context, traits).onEnd(conversation, context.reason ?? 'closed')
      return undefined
    }),
  }
}

/** What the tools of the bus asked to be done to tabs, for the front end that does it. */
export function actionBridge(name: string, place: PluginPlace): Required<Pick<PluginModule, 'name' | 'onToolResult'>> {
  const hook = hooksOf(name, place)
  const onToolResult = hook('onToolResult', async ({ bus, traits, context }) => {
    const { tool = '', result } = context
    const { executor } = traits
    const actions = executor === undefined ? [] : await takeActions(bus.context, executor, { tool, result })
    return actions.length === 0 ? undefined : { __actions: actions.map(pluginActionOf) }
  })
  return {
    name,
    // Called after every tool of the IDE, nearly always one of somebody else's.
    onToolResult: async (context) => (mayAsk(readContext(context)?.tool ?? '') ? onToolResult(context) : undefined),
  }
}

/** With which scene and model the tab runs: for its model, and in the record of its session. */
export function sceneAndModel(
  name: string,
  place: PluginPlace,
): Required<Pick<PluginModule, 'name' | 'onSend' | 'onContinue'>> {
  const hook = hooksOf(name, place)
  const tell: Work = async ({ bus, context, conversation }) => {
    if (context.isSubagent || context.at === 'stop') return undefined
    const entry = await attached(bus.context, conversation)
    if (entry !== undefined) await noteSetting(bus.context, entry, conversation)
    const injection = settingLine(context)
    return injection === undefined ? undefined : { injection }
  }
  return { name, onSend: hook('onSend', tell), onContinue: hook('onContinue', tell) }
}

/** Several plugins as one: their injections under each other. */
export function joined(name: string, plugins: readonly PluginModule[]): PluginModule {
  const all = (method: 'onSend' | 'onContinue' | 'onToolResult' | 'onEnd'): Hook => {
    return async (context) => {
      const answers: PluginAnswer[] = []
      // One after the other: what the first one registers the next one finds.
      for (const plugin of plugins) answers.push((await plugin[method]?.(context)) ?? {})
      const injection = answers.flatMap((answer) => answer.injection ?? []).join('\n')
      const merged = Object.assign({}, ...answers, injection === '' ? {} : { injection })
      return Object.keys(merged).length === 0 ? undefined : merged
    }
  }
  return {
    name,
    onSend: all('onSend'),
    onContinue: all('onContinue'),
    onToolResult: all('onToolResult'),
    onEnd: all('onEnd'),
  }
}

function hooksOf(name: string, { folder, ...made }: PluginPlace): (method: string, work: Work) => Hook {
  const home = homeOf(folder)
  const report = (method: string, fault: unknown) => hookLog(home).error('plugin', { plugin: name, method, fault })
  // Opened at the first call: an IDE that loads plugins it never calls makes no home.
  let bus: HookBus | undefined
  return (method, work) => async (raw) => {
    try {
      const context = readContext(raw)
      if (context === undefined) return undefined
      bus ??= openHookBus(process.env, ['--home', home])
      const traits = traitsOf(context, made, bus.context.processes.self)
      return await soon(work({ bus, context, conversation: conversationOf(context), traits }))
    } catch (fault) {
      report(method, fault)
      return undefined
    }
  }
}

async function soon<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function told(injection: Injection | undefined): PluginAnswer | undefined {
  if (injection === undefined) return undefined
  return { injection: injection.text, ...(injection.continues && { continues: true }) }
}
