/**
 * An IDE with tabs, as seed 003 describes one: plugins from `~/.msun/plugins`, servers from `~/.msun/mcp-servers.json`, all
 * tabs in one process. Driven over stdin by ide.ts; what a person would see and do is a command each.
 */

import os from 'node:os'
import path from 'node:path'
import { serve } from '../processes/programs/serve.ts'
import { loadPlugins } from './plugins.ts'
import { startServers } from './servers.ts'
import { createDesk, type Step, type Tab } from './tabs.ts'
import { createTurns } from './turn.ts'

const directory = path.join(os.homedir(), '.msun')
const started = (async () => {
  const plugins = await loadPlugins(path.join(directory, 'plugins'))
  const servers = await startServers(path.join(directory, 'mcp-servers.json'))
  const desk = createDesk()
  return { plugins, servers, desk, turns: createTurns(desk, plugins, servers) }
})()

function shown({ release: _, ...tab }: Tab) {
  return tab
}

serve({
  async plugins() {
    const { plugins } = await started
    return { list: plugins.list(), faults: plugins.faults }
  },
  async servers() {
    return (await started).servers.pids
  },
  async takeIds({ takesIds }: { takesIds: boolean }) {
    const { desk } = await started
    desk.takesIds = takesIds
  },
  async open(tab: Partial<Tab> & { title: string }) {
    return shown((await started).desk.open(tab))
  },
  async script({ tab, steps }: { tab: string; steps: Step[] }) {
    const { desk } = await started
    const open = [...desk.tabs.values()].find(({ id, title }) => id === tab || title === tab)
    if (open === undefined) desk.scripts.set(tab, steps)
    else open.steps.push(...steps)
  },
  /** A person types and presses Enter. Answers when the tab is idle again, unless it is to go on by itself. */
  async type({ tab, text, isLong = false }: { tab: string; text: string; isLong?: boolean }) {
    const { desk, turns } = await started
    const found = desk.find(tab)
    turns.prompt(found, text)
    if (!isLong) await turns.settled(found)
    return shown(found)
  },
  async release({ tab }: { tab: string }) {
    const { desk, turns } = await started
    const found = desk.find(tab)
    found.release?.()
    await turns.settled(found)
    return shown(found)
  },
  async tab({ tab }: { tab: string }) {
    return shown((await started).desk.find(tab))
  },
  async desk() {
    const { desk } = await started
    return { tabs: [...desk.tabs.values()].map(shown), active: desk.active, performed: desk.performed }
  },
  async close({ tab }: { tab: string }) {
    const { desk, turns } = await started
    const found = desk.find(tab)
    turns.close(found)
    await turns.settled(found)
  },
})
