/** The house rules that a machine can check: who imports whom, how long files are, where the environment is read. */

import fs from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERRORS } from '../src/core/errors.ts'
import { HOSTS } from '../src/hosts/table.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const MAX_LINES = 250

interface Import {
  /** Path from src/ for our own files, else the package. */
  readonly to: string
  readonly isOwn: boolean
  readonly isType: boolean
}

interface Source {
  /** Path from src/, with slashes. */
  readonly file: string
  readonly room: string
  readonly text: string
  readonly imports: readonly Import[]
}

const sources: readonly Source[] = fs
  .readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const file = name.split(path.sep).join('/')
    const text = fs.readFileSync(path.join(ROOT, 'src', name), 'utf8')
    // Files directly under src/ are rooms of their own: config, open, lib, index.
    return { file, room: (file.split('/')[0] ?? '').replace(/\.ts$/, ''), text, imports: importsOf(file, text) }
  })
  .sort((a, b) => (a.file < b.file ? -1 : 1))

function importsOf(file: string, text: string): Import[] {
  const statements =
    /^(?:import|export)\s+(type\s)?([^'"`;]*?\bfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm
  return [...text.matchAll(statements)].map(([, typeOnly, names, from, lazy]) => {
    const target = from ?? lazy ?? ''
    const isOwn = target.startsWith('.')
    const listed = /\{([^}]*)\}/
      .exec(names ?? '')?.[1]
      ?.split(',')
      .map((each) => each.trim())
      .filter(Boolean)
    const isType = typeOnly !== undefined || listed?.every((each) => each.startsWith('type ')) === true
    return { to: isOwn ? path.posix.join(path.posix.dirname(file), target) : packageOf(target), isOwn, isType }
  })
}

function packageOf(target: string): string {
  return target.startsWith('node:')
    ? 'node'
    : target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/')
}

const SDK = '@modelcontextprotocol/sdk'

/** For each room, the rooms and packages it may import; itself is always allowed. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  system: ['node', 'core'],
  store: ['node', 'core', 'system'],
  tools: ['zod', 'core'],
  hosts: ['node', 'core', 'system'],
  mcp: ['node', SDK, 'core', 'tools', 'hosts'],
  open: ['node', 'core', 'store', 'system', 'hosts'],
  lib: ['core', 'store', 'open'],
  config: ['node', 'core', 'system', 'cli'],
  cli: ['node', 'core', 'system', 'store', 'tools', 'hosts', 'mcp', 'open', 'config'],
  index: ['cli'],
}

/** Libraries that one file alone may know. */
const SINGLE: Readonly<Record<string, string>> = {
  ms: 'core/ttl.ts',
  nanoid: 'system/random.ts',
  'smol-toml': 'cli/install/toml-tree.ts',
  ink: 'cli/live/screen.ts',
  react: 'cli/live/screen.ts',
}

function broken(rule: (source: Source, each: Import) => string | false): string[] {
  return sources.flatMap((source) =>
    source.imports.flatMap((each) => {
      const why = rule(source, each)
      return why === false ? [] : [`${source.file} -> ${each.to}: ${why}`]
    }),
  )
}

describe('the rooms of src/', () => {
  it('are read at all: the test sees the files and their imports', () => {
    expect(sources.length).toBeGreaterThan(80)
    const store = sources.find(({ file }) => file === 'store/files/store.ts')
    expect(store?.imports).toContainEqual({ to: 'core/ports.ts', isOwn: true, isType: true })
    expect(store?.imports).toContainEqual({ to: 'store/files/home.ts', isOwn: true, isType: false })
    expect(store?.imports).toContainEqual({ to: 'node', isOwn: false, isType: false })
    const files = new Set(sources.map(({ file }) => file))
    expect(broken((_, { to, isOwn }) => isOwn && !files.has(to) && 'there is no such file')).toEqual([])
  })

  it('each have a rule', () => {
    const rooms = [...new Set(sources.map(({ room }) => room))]
    expect(rooms.filter((room) => MAY_IMPORT[room] === undefined)).toEqual([])
  })

  it('import what their rule allows, and nothing else', () => {
    expect(
      broken(({ file, room }, { to, isOwn }) => {
        if (!isOwn && SINGLE[to] === file) return false
        const target = isOwn ? (to.split('/')[0] ?? '').replace(/\.ts$/, '') : to
        const allowed = MAY_IMPORT[room] ?? []
        return (
          target !== room && !allowed.includes(target) && `${room} may import ${allowed.join(', ') || 'only itself'}`
        )
      }),
    ).toEqual([])
  })

  it('system takes types from core, and of its values only the error and the hash', () => {
    expect(
      broken(({ room }, { to, isType }) => {
        const isValue = room === 'system' && to.startsWith('core/') && !isType
        return (
          isValue && !['core/errors.ts', 'core/hash.ts'].includes(to) && 'only types, core/errors.ts and core/hash.ts'
        )
      }),
    ).toEqual([])
  })

  it('no host knows another one', () => {
    const hostOf = (file: string) => /^hosts\/([^/]+)\//.exec(file)?.[1]
    expect(
      broken(({ file }, { to }) => {
        const [from, target] = [hostOf(file), hostOf(to)]
        return from !== undefined && target !== undefined && from !== target && 'a host of its own'
      }),
    ).toEqual([])
  })

  it('a host is a folder in hosts/, one in plugins/ where it has one, and a row: nothing else knows it', () => {
    const composed: Readonly<Record<string, readonly string[]>> = {
      // What steers tabs through a host's own service is put into its order there.
      'open.ts': ['hosts/claude-code/background.ts', 'hosts/codex/executor.ts'],
      'cli/status-line/run.ts': ['hosts/claude-code/status-line.ts'],
    }
    const isHost = (file: string) => fs.existsSync(path.join(ROOT, 'src', path.posix.dirname(file), 'host.ts'))
    const folder = (file: string) => /^hosts\/([^/]+)\/[^/]+\.ts$/.exec(file)?.[1]
    expect(
      broken(({ file }, { to }) => {
        const host = folder(to)
        if (host === undefined || host === 'generic' || !isHost(to) || folder(file) === host) return false
        if (file === 'hosts/table.ts' && /\/(host|wiring)\.ts$/.test(to)) return false
        return !composed[file]?.includes(to) && 'only hosts/table.ts names a host'
      }),
    ).toEqual([])
    const build = fs.readFileSync(path.join(ROOT, 'scripts', 'build.mjs'), 'utf8')
    const hooks = fs.readdirSync(path.join(ROOT, 'hooks')).map((name) => name.replace(/\.\w+$/, ''))
    for (const { kind } of HOSTS) {
      expect(fs.existsSync(path.join(ROOT, 'src', 'hosts', kind, 'host.ts')), kind).toBe(true)
      expect(build, `build.mjs and ${kind}`).not.toMatch(new RegExp(`['"/\`]${kind}['"/\`.]`))
      expect(hooks).not.toContain(kind)
    }
  })

  it('what a hook tells carries none of what performs actions: every hook would load it', () => {
    const byFile = new Map(sources.map((source) => [source.file, source]))
    const reached = new Set<string>()
    const walk = (file: string): void => {
      if (reached.has(file)) return
      reached.add(file)
      for (const { to, isType } of byFile.get(file)?.imports ?? []) if (!isType) walk(to)
    }
    walk('core/attend.ts')
    expect(reached).toContain('core/tell.ts')
    expect(['core/bridge.ts', 'core/perform.ts', 'core/create-session.ts'].filter((file) => reached.has(file))).toEqual(
      [],
    )
  })

  it('the library and the tools never reach a store, the SDK or the environment through somebody else', () => {
    const byFile = new Map(sources.map((source) => [source.file, source]))
    const reached = (start: string, seen = new Set<string>()): Set<string> => {
      for (const { to, isType } of byFile.get(start)?.imports ?? []) {
        if (isType || seen.has(to)) continue
        seen.add(to)
        reached(to, seen)
      }
      return seen
    }
    for (const { file } of sources.filter(({ room }) => room === 'tools' || room === 'core')) {
      const all = [...reached(file)]
      expect(
        all.filter((to) => to === SDK || to === 'node' || /^(store|mcp|cli|config)\b/.test(to)),
        file,
      ).toEqual([])
    }
    expect([...reached('lib.ts')].filter((to) => to === SDK || /^(mcp|cli|config)\b/.test(to))).toEqual([])
  })
})

describe('imports', () => {
  it('make no cycle, neither of values nor of types', () => {
    const byFile = new Map(sources.map((source) => [source.file, source]))
    const done = new Set<string>()
    const cycles: string[] = []
    const walk = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '))
      if (done.has(file) || trail.includes(file)) return
      for (const { to, isOwn } of byFile.get(file)?.imports ?? []) if (isOwn) walk(to, [...trail, file])
      done.add(file)
    }
    for (const { file } of sources) walk(file, [])
    expect(cycles).toEqual([])
  })
})

describe('files', () => {
  it(`are not longer than ${MAX_LINES} lines`, () => {
    const long = sources.map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
    expect(long.filter(({ lines }) => lines > MAX_LINES)).toEqual([])
  })

  it('are named in small letters with hyphens, and never utils, helpers, common or misc', () => {
    const odd = sources.filter(
      ({ file }) => !/^([a-z0-9-]+\/)*[a-z0-9-]+\.ts$/.test(file) || /(^|\/)(utils?|helpers?|common|misc)\b/.test(file),
    )
    expect(odd.map(({ file }) => file)).toEqual([])
  })

  it('only src/config.ts reads the environment', () => {
    const readers = sources.filter(({ text }) =>
      /process\s*\.\s*env\b|process\s*\[\s*['"]env['"]\s*\]/.test(withoutComments(text)),
    )
    expect(readers.map(({ file }) => file)).toEqual(['config.ts'])
  })

  it('outside hosts/ nobody asks which host it is', () => {
    const kinds = fs
      .readdirSync(path.join(ROOT, 'src', 'hosts'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(kinds).toContain('claude-code')
    const kind = `['"\`](?:${kinds.join('|')})['"\`]`
    const asks = new RegExp(
      `[=!]==?\\s*${kind}|${kind}\\s*[=!]==?|\\bcase\\s+${kind}|(?<!typeof )\\bhost(?:\\.kind)?\\s*[=!]==?\\s*['"\`]`,
    )
    for (const line of ["if (host === 'x') {", "host.kind !== 'codex'", "case 'codex':", "'codex' === kind"])
      expect(line).toMatch(asks)
    const asking = sources.flatMap(({ file, room, text }) =>
      withoutComments(text)
        .split('\n')
        .flatMap((line) => (room !== 'hosts' && asks.test(line) ? [`${file}: ${line.trim()}`] : [])),
    )
    expect(asking).toEqual([])
  })
})

describe('the package', () => {
  it('installs nothing beside itself: no dependencies, and no built file asks for more than Node has', () => {
    const { dependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    expect(dependencies).toBeUndefined()
    const files = fs
      .readdirSync(path.join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?js$/.test(name))
    expect(files.length).toBeGreaterThan(5)
    const asked = files.flatMap((name) =>
      [
        ...fs
          .readFileSync(path.join(ROOT, 'dist', name), 'utf8')
          .matchAll(/\brequire\("([\w@./:-]+)"\)|\bfrom"([\w@./:-]+)"/g),
      ]
        .map(([, a, b]) => a ?? b ?? '')
        .filter((module) => !isBuiltin(module) && !module.startsWith('.')),
    )
    expect(asked).toEqual([])
  })
})

describe('error codes', () => {
  const codes = Object.keys(ERRORS)
  /** The shape of a fault that is no refusal: nobody throws it. */
  const NOT_THROWN = ['INTERNAL']

  it('are all thrown somewhere', () => {
    const thrown = sources.flatMap(({ text }) =>
      [...withoutComments(text).matchAll(/new BusError\(\s*'([A-Z_]+)'/g)].map(([, code]) => code),
    )
    expect(codes.filter((code) => !thrown.includes(code))).toEqual(NOT_THROWN)
  })

  it('are all documented in docs/errors.md, and nothing else is', () => {
    const page = path.join(ROOT, 'docs', 'errors.md')
    if (!fs.existsSync(page)) throw new Error('docs/errors.md is missing: run `npm run docs`')
    const documented = [...fs.readFileSync(page, 'utf8').matchAll(/`([A-Z]+(?:_[A-Z]+)*)`/g)].map(
      ([, code = '']) => code,
    )
    expect(codes.filter((code) => !documented.includes(code))).toEqual([])
    const strangers = documented.filter((code) => code.includes('_') && !codes.includes(code))
    expect(strangers).toEqual([])
  })
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}
