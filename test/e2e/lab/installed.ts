/** Which hosts `scripts/hosts.mjs` found. A missing one is skipped by name; on Linux x64 it is a failure. */
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'vitest'
import { z } from 'zod'
import type { Host } from './host.ts'
import { noTabs } from './tab.ts'

const listFile = new URL('../../../.lab/hosts.json', import.meta.url)
const List = z.array(
  z.union([
    z.object({ name: z.string(), version: z.string(), executable: z.string() }),
    z.object({ name: z.string(), missing: z.string() }),
  ]),
)
export type Installed = { version: string; executable: string }

export function installed({ name }: Host): Installed | { missing: string } {
  if (process.platform === 'win32') return { missing: 'the lab ends hosts by process group, which Windows lacks' }
  if (!existsSync(listFile)) return { missing: 'not installed; run `node scripts/hosts.mjs`' }
  const list = List.parse(JSON.parse(readFileSync(listFile, 'utf8')))
  return list.find((host) => host.name === name) ?? { missing: 'unknown to scripts/hosts.mjs' }
}

type Body = (...hosts: Host[]) => Promise<void>

/** Defines a test that needs real hosts; `body` gets them in the order given. */
export function hostTest(title: string, hosts: readonly Host[], body: Body): void {
  define(title, hosts, body, [])
}

/** One that needs terminals, too. */
export function tabTest(title: string, hosts: readonly Host[], body: Body): void {
  const missing = noTabs()
  define(`${title}, in a terminal`, hosts, body, missing === undefined ? [] : [missing])
}

/** One that needs tmux and no host. */
export function tmuxTest(title: string, body: () => Promise<void>): void {
  const missing = noTabs()
  define(title, [], body, missing === undefined ? [] : [missing])
}

function define(title: string, hosts: readonly Host[], body: Body, lacking: readonly string[]): void {
  const found = hosts.map((host) => ({ name: host.name, ...installed(host) }))
  const names = found.map((host) => ('missing' in host ? host.name : `${host.name} ${host.version}`))
  const reasons = [...lacking, ...found.flatMap((host) => ('missing' in host ? [`${host.name}: ${host.missing}`] : []))]
  const fullTitle = names.length === 0 ? title : `${title} (${[...new Set(names)].join(', ')})`
  if (reasons.length === 0) {
    test(fullTitle, () => body(...hosts))
    return
  }
  const why = [...new Set(reasons)].join('; ')
  const required = process.platform === 'linux' && process.arch === 'x64'
  if (required && process.env['SESSION_MCP_HOSTS_OPTIONAL'] !== '1') {
    test(fullTitle, () => {
      throw new Error(`${why} (SESSION_MCP_HOSTS_OPTIONAL=1 skips this test)`)
    })
    return
  }
  console.log(`SKIPPED ${fullTitle}: ${why}`)
  test.skip(`${fullTitle}: skipped, ${why}`)
}
