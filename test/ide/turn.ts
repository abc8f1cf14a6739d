/** A turn in a tab: the plugins’ injections in the system prompt of every request, tools in between, actions after each. */

import type { PluginAnswer, PluginContext } from '../../src/core/plugin-module.ts'
import type { Hook, Plugins } from './plugins.ts'
import type { Servers } from './servers.ts'
import { type Desk, type Front, perform, type Step, type Tab } from './tabs.ts'

export interface Turns extends Front {
  /** Resolves when the tab is idle again. */
  settled(tab: Tab): Promise<void>
}

const BASE = 'You are the assistant of an IDE.'
const OURS = 'session-mcp'

export function createTurns(desk: Desk, plugins: Plugins, servers: Servers): Turns {
  const running = new Map<string, Promise<void>>()

  const ask = (hook: Hook, tab: Tab, more: Partial<PluginContext>): Promise<readonly PluginAnswer[]> => {
    const { id, projectPath, model, scene, title } = tab
    return plugins.ask(hook, { sessionId: id, projectPath, model, scene, title, host: 'msun', ...more })
  }
  /** One request to the model: the system prompt is made anew for it. */
  const request = (tab: Tab, answers: readonly PluginAnswer[]): string => {
    const system = [BASE, ...answers.flatMap(({ injection }) => injection ?? [])].join('\n\n')
    tab.requests.push(system)
    return system
  }

  async function callTool(tab: Tab, step: Extract<Step, { call: string }>, system: string): Promise<void> {
    const { call: tool, server = OURS, args = {}, isUnseen = false } = step
    const result = await servers.call(server, tool, filled(args, system)).catch((fault) => ({ fault: String(fault) }))
    tab.chat.push({ who: 'tool', text: JSON.stringify(result) })
    if (isUnseen) return
    for (const { __actions = [] } of await ask('onToolResult', tab, { tool, server, result })) {
      for (const action of __actions) perform(desk, front, action)
    }
  }

  async function turn(tab: Tab, prompt: string): Promise<void> {
    tab.chat.push({ who: 'user', text: prompt })
    let system = request(tab, await ask('onSend', tab, { prompt }))
    let isHeld = false
    while (!tab.isCancelled) {
      const step = tab.steps.shift() ?? { say: 'Done.' }
      if ('hold' in step) {
        await new Promise<void>((resolve) => {
          tab.release = resolve
        })
      } else if ('call' in step) {
        await callTool(tab, step, system)
        system = request(tab, await ask('onContinue', tab, { at: 'tools' }))
      } else {
        tab.chat.push({ who: 'model', text: step.say })
        const answers = await ask('onContinue', tab, { at: 'stop', isHeld })
        if (!answers.some(({ continues }) => continues)) return
        isHeld = true
        system = request(tab, answers)
      }
    }
    await ask('onContinue', tab, { at: 'stop', isHeld: true })
  }

  async function run(tab: Tab): Promise<void> {
    tab.state = 'working'
    for (let prompt = tab.waiting.shift(); prompt !== undefined; prompt = tab.waiting.shift()) {
      tab.isCancelled = false
      await turn(tab, prompt)
    }
    tab.state = 'idle'
    running.delete(tab.id)
  }

  const front: Turns = {
    prompt(tab, text) {
      tab.waiting.push(text)
      if (!running.has(tab.id)) running.set(tab.id, run(tab))
    },
    cancel(tab) {
      tab.isCancelled = true
      tab.release?.()
    },
    close(tab) {
      front.cancel(tab)
      tab.waiting.length = 0
      desk.tabs.delete(tab.id)
      void front.settled(tab).then(() => ask('onEnd', tab, { reason: 'closed' }))
    },
    async settled(tab) {
      await running.get(tab.id)
    },
  }
  return front
}

/** What the scripted model copies out of its system prompt: the one place where it can learn its id. */
function filled(args: Record<string, unknown>, system: string): Record<string, unknown> {
  const me = /sessionId "([^"]+)"/.exec(system)?.[1]
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, value === '$me' ? me : value]))
}
