/** A machine in a temporary directory: a person's home, an installed session-mcp, and Claude Code's files. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { install, type Job, type WireAnswer } from '../../src/cli/install/install.ts'
import { readData } from '../../src/cli/install/look.ts'
import { uninstall } from '../../src/cli/install/uninstall.ts'
import { claudeCodeWiring } from '../../src/hosts/claude-code/wiring.ts'
import type { Machine, Program } from '../../src/hosts/wiring.ts'

export interface Place {
  readonly root: string
  readonly userHome: string
  readonly home: string
  readonly settings: string
  readonly servers: string
  readonly machine: Machine
  /** Makes what is missing of it. */
  program(dist?: string, home?: string): Program
  job(more?: Partial<Job>): Job
  install(more?: Partial<Job>): Promise<WireAnswer>
  uninstall(more?: Partial<Job>): Promise<WireAnswer>
  /** Undefined removes the file. */
  write(file: string, text: string | undefined): void
  read(file: string): string | undefined
  json(file: string): Record<string, unknown>
  /** Every file below the person's home but the bus, with its bytes and mode. */
  snapshot(): Record<string, string>
  close(): void
}

/** The hook answers as the real one does when it has nothing to say. */
const PACKAGE = {
  'index.js': '',
  'hooks/claude-code.js': "process.stdin.resume().on('end', () => process.exit(0))\n",
  'hooks/codex.js': "process.stdin.resume().on('end', () => process.exit(0))\n",
  'hooks/gate.sh': '',
  'hooks/statusline.js': '',
}

export function openPlace(env: Readonly<Record<string, string>> = {}): Place {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'session-mcp install ')))
  const userHome = path.join(root, 'home')
  const home = path.join(userHome, '.session-mcp')
  fs.mkdirSync(userHome)
  const machine: Machine = {
    userHome,
    cwd: userHome,
    env,
    isWindows: false,
    join: path.join,
    exists: fs.existsSync,
    read: readData,
  }
  const program = (dist = path.join(root, 'session-mcp', 'dist'), busHome = home): Program => {
    fs.mkdirSync(path.join(dist, 'hooks'), { recursive: true })
    for (const [name, text] of Object.entries(PACKAGE)) {
      const file = path.join(dist, name)
      if (!fs.existsSync(file)) fs.writeFileSync(file, text)
    }
    const isDefaultHome = busHome === home
    return {
      node: process.execPath,
      server: path.join(dist, 'index.js'),
      hooks: path.join(dist, 'hooks'),
      plugins: path.join(dist, 'plugins'),
      home: busHome,
      isDefaultHome,
      serverArgs: ['--default-ttl=4h', ...(isDefaultHome ? [] : [`--home=${busHome}`])],
    }
  }
  const place: Place = {
    root,
    userHome,
    home,
    settings: path.join(env['CLAUDE_CONFIG_DIR'] ?? path.join(userHome, '.claude'), 'settings.json'),
    servers: path.join(env['CLAUDE_CONFIG_DIR'] ?? userHome, '.claude.json'),
    machine,
    program,
    job: (more = {}) => {
      const wired = more.program ?? program()
      return {
        wiring: claudeCodeWiring,
        machine,
        version: '0.0.0',
        dryRun: false,
        openHome: async () => fs.mkdirSync(wired.home, { recursive: true, mode: 0o700 }),
        ...more,
        program: wired,
      }
    },
    install: (more) => install(place.job(more)),
    uninstall: (more) => uninstall(place.job(more)),
    write(file, text) {
      fs.mkdirSync(path.dirname(file), { recursive: true })
      if (text === undefined) fs.rmSync(file, { force: true })
      else fs.writeFileSync(file, text)
    },
    read: (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined),
    json: (file) => JSON.parse(fs.readFileSync(file, 'utf8')),
    snapshot() {
      const names = fs.readdirSync(userHome, { recursive: true, encoding: 'utf8' })
      const kept = names.filter((name) => !name.startsWith('.session-mcp')).sort()
      return Object.fromEntries(
        kept.map((name) => {
          const file = path.join(userHome, name)
          const stat = fs.lstatSync(file)
          const mode = (stat.mode & 0o777).toString(8)
          if (stat.isSymbolicLink()) return [name, `link to ${fs.readlinkSync(file)}`]
          return [name, stat.isFile() ? `${mode} ${fs.readFileSync(file).toString('base64')}` : `${mode} directory`]
        }),
      )
    },
    close: () => fs.rmSync(root, { recursive: true, force: true }),
  }
  return place
}
