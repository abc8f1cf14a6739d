/** Runs one session of a real host: a fresh HOME, an emptied environment, loopback only, nothing left behind. */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { labPath } from './ground.ts'
import { endGroup, leftInGroup } from './processes.ts'
import { patienceMs } from './until.ts'

/** What a host is asked to do. */
export interface Task {
  executable: string
  /** The session's own folder: HOME and configuration. */
  root: string
  project: string
  modelUrl: string
  /** Tells the scripted model which conversation this is. */
  apiKey: string
  prompt: string
  /** Where the bus lives: said to our server by argument, to a plugin by environment. */
  busHome: string
  /** How the host has to start our server. */
  server: { name: string; command: string; args: string[] }
  /** More of the host's own flags, such as `--continue`. */
  flags?: readonly string[] | undefined
  /** On top of the emptied environment. */
  env?: Readonly<Record<string, string>> | undefined
  /** How long one tool call may last, where the host can be told; its own default otherwise. */
  callLimitMs?: number | undefined
}

/** How a host is started for a task: all that differs between hosts. */
export interface Launch {
  args: string[]
  env: Record<string, string>
  files: ({ path: string } & ({ json: unknown } | { text: string }))[]
}

export interface Host {
  name: string
  launch(task: Task): Launch
}

export interface HostRun {
  exitCode: number | null
  stdout: string
  stderr: string
  /** Processes the host left running after its own end; they are killed. */
  leftBehind: string[]
}

/** `LAB_SERVER` runs the tests against another build, such as an installed package. */
export const entry = process.env['LAB_SERVER'] ?? fileURLToPath(new URL('../../../dist/index.js', import.meta.url))

/** The server exactly as a user would register it. */
export function ourServer(busHome: string): Task['server'] {
  return { name: 'session-mcp', command: 'node', args: [entry, '--default-ttl=4h', '--home', busHome] }
}

/** A host that runs to its own end may meet several waits of the lab. */
const timeoutMs = 2 * patienceMs

/** Writes the files a host is to find, and says how to start it. */
export async function prepare(host: Host, task: Task): Promise<Pick<Launch, 'args' | 'env'>> {
  const { args, env, files } = host.launch(task)
  const home = homeOf(task)
  await mkdir(home, { recursive: true })
  for (const file of files) {
    await mkdir(path.dirname(file.path), { recursive: true })
    // A session that comes back, or a second one in the same HOME, finds what the host has made of it.
    const text = 'text' in file ? file.text : JSON.stringify(file.json, null, 2)
    await writeFile(file.path, text, { flag: 'wx' }).catch(ifThere)
  }
  return {
    args,
    env: {
      PATH: labPath(),
      HOME: home,
      // Whatever wants to leave the machine asks the scripted model, which refuses and keeps the name.
      HTTP_PROXY: task.modelUrl,
      HTTPS_PROXY: task.modelUrl,
      NO_PROXY: '127.0.0.1,localhost',
      ...env,
      ...task.env,
    },
  }
}

/** @param killWhen kills the host itself, and only it, when it resolves. */
export async function runHost(host: Host, task: Task, killWhen?: Promise<unknown>): Promise<HostRun> {
  const { args, env } = await prepare(host, task)
  const child = spawn(task.executable, args, {
    cwd: task.project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const end = () => endGroup(child.pid)
  process.once('exit', end) // Of the test run itself: a detached host would outlive it.
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const timer = setTimeout(() => {
    stderr += `\nlab: killed after ${timeoutMs} ms`
    end()
  }, timeoutMs)
  killWhen?.then(
    () => child.kill('SIGKILL'),
    () => undefined,
  )
  const closed = new Promise((resolve) => child.once('close', resolve))
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', resolve)
    })
    const leftBehind = await leftInGroup(child.pid)
    end()
    // All it wrote has been read when its pipes close; a process outside the group could hold them open.
    await Promise.race([closed, delay(10_000, undefined, { ref: false })])
    return { exitCode, stdout, stderr, leftBehind }
  } finally {
    clearTimeout(timer)
    end()
    process.off('exit', end)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function ifThere(fault: NodeJS.ErrnoException): void {
  if (fault.code !== 'EEXIST') throw fault
}

export function homeOf(task: Task): string {
  return path.join(task.root, 'home')
}
