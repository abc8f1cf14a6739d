/** Plugins of ours that a host loads into its own process: a folder each, with the script, its type and where the bus is. */

import { createHash } from 'node:crypto'
import type { Launch, Machine, WiredFile } from './wiring.ts'

/** As the build writes it: without it a script inside a project of ES modules would be read as one. */
const PACKAGE = '{"type":"commonjs"}\n'

/** The home of IDEs of this kind: their server and their plugins have to agree on one. */
export function ideHome({ userHome, join }: Machine): string {
  return join(userHome, '.msun', 'session-mcp')
}

/** @param from where the build has it. */
export function pluginFolder(machine: Machine, from: string, to: string, home: string): WiredFile[] {
  const { join } = machine
  const name = to.split(/[\\/]/).at(-1) ?? to
  const file = (base: string) => ({ name: `${name}/${base}`, path: join(to, base), isStrict: true })
  const bare = { members: [], lists: [] }
  return [
    {
      ...file('index.js'),
      ...bare,
      copy: { label: `plugin ${name}`, from: join(from, 'index.js'), isOurs: isSealed },
    },
    {
      ...file('package.json'),
      ...bare,
      copy: { label: 'its module type', from: join(from, 'package.json'), isOurs: (text) => text === PACKAGE },
    },
    {
      ...file('config.json'),
      members: [{ label: 'its home', at: ['home'], value: home, isOurs: (value) => typeof value === 'string' }],
      lists: [],
    },
  ]
}

/** The home that a plugin’s config.json names. */
export function launchOfPlugin(entry: unknown): Launch | undefined {
  const isHome = typeof entry === 'string' && !entry.startsWith('//') && !entry.startsWith('{')
  return isHome ? { command: 'node', node: 'node', scripts: [], home: entry } : undefined
}

/** True for a script as some build of ours made it: its first line holds the hash of all others. */
function isSealed(text: string): boolean {
  const [line = '', seal] = /^\/\/ session-mcp \S+ \S+ ([0-9a-f]{16})\n/.exec(text) ?? []
  return seal !== undefined && createHash('sha256').update(text.slice(line.length)).digest('hex').startsWith(seal)
}
