/** A folder of plugins as the IDE keeps it: each loaded from `<name>/index.js` (or `.ts`), and again when it changes. */

import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { watch } from 'chokidar'
import type { PluginAnswer, PluginContext, PluginModule } from '../../src/core/plugin-module.ts'

export const HOOKS = ['onSend', 'onContinue', 'onToolResult', 'onEnd'] as const
export type Hook = (typeof HOOKS)[number]

export interface LoadedPlugin {
  readonly name: string
  /** How often it was loaded. */
  readonly loads: number
  readonly hooks: readonly Hook[]
  readonly fault?: string
}

export interface Plugins {
  list(): readonly LoadedPlugin[]
  /** Asks every plugin that has the hook, all at once. One that throws is passed over. */
  ask(hook: Hook, context: PluginContext): Promise<readonly PluginAnswer[]>
  /** What plugins threw, which ours must never do. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

type Slot = LoadedPlugin & { readonly module: Partial<PluginModule> }

const { cache } = createRequire(import.meta.url)

export async function loadPlugins(directory: string): Promise<Plugins> {
  const slots = new Map<string, Slot>()
  const faults: string[] = []
  let work: Promise<unknown> = Promise.resolve()

  const load = async (name: string): Promise<void> => {
    const file = scriptIn(path.join(directory, name))
    const before = slots.get(name)
    if (file === undefined) {
      slots.delete(name)
      return
    }
    const loads = (before?.loads ?? 0) + 1
    try {
      // CommonJS is cached by path, ES modules by URL.
      delete cache[file]
      const { default: whole, ...named } = (await import(`${pathToFileURL(file).href}?load=${loads}`)) as {
        default?: Partial<PluginModule>
      }
      const module: Partial<PluginModule> = { ...whole, ...named }
      slots.set(name, { name, loads, module, hooks: HOOKS.filter((hook) => typeof module[hook] === 'function') })
    } catch (fault) {
      // Half written, or wrong: the one that worked goes on.
      slots.set(name, { name, loads, module: before?.module ?? {}, hooks: before?.hooks ?? [], fault: String(fault) })
    }
  }
  const queue = (name: string): void => {
    work = work.then(() => load(name))
  }

  fs.mkdirSync(directory, { recursive: true })
  const watcher = watch(directory, { depth: 1, ignoreInitial: true })
  watcher.on('all', (_, file) => {
    const [name = ''] = path.relative(directory, file).split(path.sep)
    if (name !== '') queue(name)
  })
  await new Promise<void>((resolve) => watcher.once('ready', resolve))
  for (const { name } of fs.readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    queue(name)
  await work

  return {
    faults,
    list: () => [...slots.values()].map(({ module: _, ...plugin }) => plugin),
    async ask(hook, context) {
      const answers = await Promise.all(
        [...slots.values()].map(async ({ name, module }) => {
          try {
            return await module[hook]?.(context)
          } catch (fault) {
            faults.push(`${name} ${hook}: ${String(fault)}`)
            return undefined
          }
        }),
      )
      return answers.filter((answer) => answer !== undefined)
    },
    close: () => watcher.close(),
  }
}

function scriptIn(folder: string): string | undefined {
  const names = ['index.js', 'index.mjs', ...('typescript' in process.features ? ['index.ts'] : [])]
  return names.map((name) => path.join(folder, name)).find((file) => fs.existsSync(file))
}
