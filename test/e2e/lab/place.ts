/** A place for one test: a bus, a project, the scripted model, and sessions of real hosts that meet there. */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { type Host, type HostRun, ourServer, runHost } from './host.ts'
import { installed } from './installed.ts'
import { type ScriptedModel, startModel } from './model.ts'
import { endAllNaming } from './processes.ts'

export interface RunOptions {
  callLimitMs?: number | undefined
  killWhen?: Promise<unknown>
}

export interface Place {
  model: ScriptedModel
  busHome: string
  project: string
  /** Runs one session whose model follows the conversation named `name`. */
  run(host: Host, name: string, prompt: string, options?: RunOptions): Promise<HostRun>
  /** The JSON files in a folder of the bus, by name, as they lie on disk. */
  files(folder: string): Promise<Record<string, Record<string, unknown>>>
}

/** Makes a place, and takes everything away afterwards; `LAB_KEEP=1` keeps the folder for a look. */
export async function inPlace(body: (place: Place) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'session-mcp-lab-')))
  const model = await startModel()
  const busHome = path.join(root, 'bus')
  const project = path.join(root, 'project')
  await mkdir(project)
  try {
    await body({
      model,
      busHome,
      project,
      async run(host, name, prompt, { callLimitMs, killWhen } = {}) {
        const found = installed(host)
        if ('missing' in found) throw new Error(`${host.name}: ${found.missing}`)
        const { version, executable } = found
        const conversation = model.conversation(name)
        const started = Date.now()
        const run = await runHost(
          host,
          {
            executable,
            root: path.join(root, name),
            project,
            modelUrl: model.url,
            apiKey: name,
            prompt,
            server: ourServer(busHome),
            callLimitMs,
          },
          killWhen,
        )
        conversation.abandon(`${host.name} ended with exit code ${run.exitCode}`)
        console.log(`[${name}] ${host.name} ${version}: exit ${run.exitCode} after ${Date.now() - started} ms`)
        if (run.exitCode !== 0 && killWhen === undefined)
          console.log(`[${name}] stdout: ${run.stdout}\n[${name}] stderr: ${run.stderr}`)
        return run
      },
      async files(folder) {
        const directory = path.join(busHome, folder)
        const names = await readdir(directory).catch(() => [])
        const texts = names
          .filter((name) => name.endsWith('.json'))
          .map(async (name) => [name, JSON.parse(await readFile(path.join(directory, name), 'utf8'))])
        return Object.fromEntries(await Promise.all(texts))
      },
    })
    expect(await endAllNaming(root), 'processes left behind').toEqual([])
  } finally {
    await endAllNaming(root)
    await model.close()
    if (process.env['LAB_KEEP'] === '1') console.log(`kept ${root}`)
    else await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Every host ended well by itself, and its server with it. */
export function expectCleanEnd(...runs: HostRun[]): void {
  const ends = runs.map(({ exitCode, leftBehind }) => ({ exitCode, leftBehind }))
  expect(ends).toEqual(runs.map(() => ({ exitCode: 0, leftBehind: [] })))
}
