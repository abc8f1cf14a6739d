/** A place for one test: a bus, a project, the scripted model, and sessions of real hosts that meet there. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { labFolder } from './ground.ts'
import { type Host, type HostRun, ourServer, runHost, type Task } from './host.ts'
import { installed } from './installed.ts'
import { type ScriptedModel, startModel } from './model.ts'
import { openServer, type Server } from './opencode-server.ts'
import { endAllNaming, leftNaming } from './processes.ts'
import { openStream, type Stream } from './stream.ts'
import { openTab, type Tab } from './tab.ts'

export interface RunOptions {
  callLimitMs?: number | undefined
  killWhen?: Promise<unknown>
  /** More of the host's own flags. */
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Another folder to work in than the project. */
  project?: string
  /** Whose HOME it runs in. Default: its own. */
  home?: string
}

export interface Place {
  model: ScriptedModel
  /** Everything of this place lies below it. */
  root: string
  busHome: string
  project: string
  /** Runs one session whose model follows the conversation named `name`. */
  run(host: Host, name: string, prompt: string, options?: RunOptions): Promise<HostRun>
  /** Opens one that takes a prompt after the other on its stdin. */
  stream(host: Host, name: string, options?: RunOptions): Promise<Stream>
  /** Opens one in a terminal. */
  tab(host: Host, name: string, prompt: string, options?: RunOptions): Promise<Tab>
  /** Opens one process that runs several sessions, all following the conversation named `name`. */
  server(host: Host, name: string, options?: RunOptions): Promise<Server>
  /** The JSON files in a folder of the bus, by name, as they lie on disk. */
  files(folder: string): Promise<Record<string, Record<string, unknown>>>
  /** The same for a bus that lies elsewhere. */
  filesOf(busHome: string): Place['files']
  /** Names of the sessions on the bus. */
  names(): Promise<string[]>
}

/** Makes a place, and takes everything away afterwards; `LAB_KEEP=1` keeps the folder for a look. */
export async function inPlace(body: (place: Place) => Promise<void>): Promise<void> {
  const root = await labFolder('lab')
  const model = await startModel()
  const busHome = path.join(root, 'bus')
  const project = path.join(root, 'project')
  await mkdir(project)
  const open: { end(): Promise<unknown>; screen?(): Promise<string> }[] = []
  const taskOf = (host: Host, name: string, prompt: string, options: RunOptions): Task => {
    const found = installed(host)
    if ('missing' in found) throw new Error(`${host.name}: ${found.missing}`)
    return {
      executable: found.executable,
      root: path.join(root, options.home ?? name),
      project: options.project ?? project,
      modelUrl: model.url,
      apiKey: name,
      prompt,
      busHome,
      server: ourServer(busHome),
      callLimitMs: options.callLimitMs,
      flags: options.flags,
      env: options.env,
    }
  }
  const keep = <Session extends { end(): Promise<unknown> }>(session: Session): Session => {
    open.push(session)
    return session
  }
  const filesOf = (home: string) => async (folder: string) => {
    const directory = path.join(home, folder)
    const names = await readdir(directory).catch(() => [])
    const texts = names
      .filter((name) => name.endsWith('.json'))
      // What was moved away since the folder was read is not in it.
      .map(async (name) => {
        const text = await readFile(path.join(directory, name), 'utf8').catch(() => undefined)
        return text === undefined ? [] : [[name, JSON.parse(text)]]
      })
    return Object.fromEntries((await Promise.all(texts)).flat())
  }
  const files: Place['files'] = filesOf(busHome)

  try {
    await body({
      model,
      root,
      busHome,
      project,
      async run(host, name, prompt, options = {}) {
        const conversation = model.conversation(name)
        const started = Date.now()
        const run = await runHost(host, taskOf(host, name, prompt, options), options.killWhen)
        conversation.abandon(`${host.name} ended with exit code ${run.exitCode}`)
        console.log(`[${name}] ${describe(host)}: exit ${run.exitCode} after ${Date.now() - started} ms`)
        if (run.exitCode !== 0 && options.killWhen === undefined)
          console.log(`[${name}] stdout: ${run.stdout}\n[${name}] stderr: ${run.stderr}`)
        return run
      },
      async stream(host, name, options = {}) {
        return keep(await openStream(host, taskOf(host, name, '', options)))
      },
      async tab(host, name, prompt, options = {}) {
        return keep(await openTab(host, taskOf(host, name, prompt, options)))
      },
      async server(host, name, options = {}) {
        return keep(await openServer(host, taskOf(host, name, '', options)))
      },
      async names() {
        return Object.values(await files('sessions')).map(({ name }) => String(name))
      },
      files,
      filesOf,
    })
    await Promise.all(open.map((session) => session.end()))
    expect(await leftNaming(root), 'processes left behind').toEqual([])
  } catch (fault) {
    for (const { screen } of open) if (screen !== undefined) console.log(await screen())
    const log = await readFile(path.join(busHome, 'log', 'hooks.log'), 'utf8').catch(() => '')
    if (log !== '') console.log(`log/hooks.log of the bus:\n${log}`)
    throw fault
  } finally {
    await Promise.allSettled(open.map((session) => session.end()))
    await endAllNaming(root)
    await model.close()
    if (process.env['LAB_KEEP'] === '1') console.log(`kept ${root}`)
    else await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

function describe(host: Host): string {
  const found = installed(host)
  return `${host.name} ${'version' in found ? found.version : ''}`
}

/** Every host ended well by itself, and its server with it. */
export function expectCleanEnd(...runs: HostRun[]): void {
  const ends = runs.map(({ exitCode, leftBehind }) => ({ exitCode, leftBehind }))
  expect(ends).toEqual(runs.map(() => ({ exitCode: 0, leftBehind: [] })))
}
