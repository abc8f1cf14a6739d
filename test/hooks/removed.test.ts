/** Hooks of a session-mcp that is gone, or is being updated: hosts take the exit code 2 of a hook for a verdict on the turn. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { claudeCodeWiring } from '../../src/hosts/claude-code/wiring.ts'
import { codexWiring } from '../../src/hosts/codex/wiring.ts'
import type { Json, Machine, Program, Wiring } from '../../src/hosts/wiring.ts'
import { folder, hookFile } from './hook.ts'

interface Handler {
  readonly command: string
  readonly args?: readonly string[]
}
type Events = Readonly<Record<string, readonly { readonly hooks: readonly Handler[] }[]>>

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** An installed package with what hooks need, in a path that needs quotes. */
function installed(): string {
  const root = path.join(folder(), "it's session-mcp")
  mkdirSync(path.join(root, 'program'), { recursive: true })
  cpSync(path.dirname(hookFile), path.join(root, 'program/hooks'), { recursive: true })
  mkdirSync(path.join(root, 'bin'))
  writeFileSync(path.join(root, 'bin/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`)
  chmodSync(path.join(root, 'bin/node'), 0o755)
  return root
}

function wired(wiring: Wiring, root: string): Events {
  const home = path.join(root, 'bus')
  const machine: Machine = {
    userHome: root,
    cwd: root,
    env: {},
    isWindows: false,
    join: path.join,
    exists: () => false,
    read: () => undefined,
  }
  const program: Program = {
    node: path.join(root, 'bin/node'),
    server: path.join(root, 'program/index.js'),
    hooks: path.join(root, 'program/hooks'),
    plugins: path.join(root, 'plugins'),
    home,
    isDefaultHome: false,
    serverArgs: [],
  }
  const items = wiring.files(machine, program).find(({ lists }) => lists.length > 0)?.lists[0]?.items ?? {}
  return Object.fromEntries(Object.entries(items).map(([event, item]: [string, Json]) => [event, [item]])) as never
}

const plugin = (name: string): Events =>
  JSON.parse(readFileSync(path.join(repository, 'plugins', name, 'hooks/hooks.json'), 'utf8')).hooks

const FORMS: Readonly<Record<string, (root: string) => Events>> = {
  'install claude-code': (root) => wired(claudeCodeWiring, root),
  'install codex': (root) => wired(codexWiring, root),
  'the plugin of Claude Code': () => plugin('claude-code'),
  'the plugin of Codex': () => plugin('codex'),
}

/** As the host does it: a program with its arguments, or a line for a shell. */
function start(root: string, event: string, { command, args }: Handler) {
  const filled = (text: string) => text.replace(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => root)
  const input = JSON.stringify({ session_id: 'ses-1', hook_event_name: event, cwd: root, transcript_path: '' })
  const env = {
    PATH: `${path.join(root, 'bin')}:/usr/bin:/bin`,
    HOME: root,
    SESSION_MCP_HOME: path.join(root, 'bus'),
    PLUGIN_ROOT: root,
  }
  const options = { input, env, encoding: 'utf8' } as const
  const done =
    args === undefined ? spawnSync('sh', ['-c', command], options) : spawnSync(command, args.map(filled), options)
  return { code: done.status, stdout: done.stdout, stderr: done.stderr }
}

const GONE: Readonly<Record<string, (root: string) => string>> = {
  'the whole package': (root) => path.join(root, 'program'),
  'the gate': (root) => path.join(root, 'program/hooks/gate.sh'),
  Node: (root) => path.join(root, 'bin/node'),
}

describe.each(Object.entries(FORMS))('hooks of %s', (name, events) => {
  test('answer where all is there', async () => {
    const root = installed()
    const handler = events(root)['SessionStart']?.[0]?.hooks[0]
    if (handler === undefined) throw new Error('no hook')
    // On a busy machine a hook may give up, which is silence.
    await expect
      .poll(() => start(root, 'SessionStart', handler), { timeout: 15_000 })
      .toMatchObject({ code: 0, stdout: expect.stringContaining('ses-1') })
  })

  test.each(Object.entries(GONE))('are silent, and end with 0, where %s is gone', (what, place) => {
    // A plugin takes Node from the PATH.
    if (what === 'Node' && name.startsWith('the plugin') && hasNode('/usr/bin:/bin')) return
    const root = installed()
    const all = Object.entries(events(root)).flatMap(([event, groups]) =>
      groups.flatMap(({ hooks }) => hooks.map((handler) => [event, handler] as const)),
    )
    expect(all.length).toBeGreaterThan(6)
    rmSync(place(root), { recursive: true })
    for (const [event, handler] of all)
      expect({ event, ...start(root, event, handler) }).toEqual({ event, code: 0, stdout: '', stderr: '' })
  })
})

function hasNode(PATH: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v node'], { env: { PATH } })
    return true
  } catch {
    return false
  }
}
