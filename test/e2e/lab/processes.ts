/** Finding and ending what a host started. A host is the leader of its own process group. */
import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** How long a server may take to notice that its host is gone: a second, on a machine that has one to spare. */
const graceMs = 60_000

interface Row {
  pid: number
  group: number
  command: string
}

/** Waits until the group is empty; the commands of those that did not leave in time. */
export function leftInGroup(group: number | undefined): Promise<string[]> {
  return stragglers((row) => row.group === group)
}

/** The same for everything whose command or environment names `folder`, whatever group it hides in. */
export function leftNaming(folder: string): Promise<string[]> {
  return stragglers((row) => row.command.includes(folder), true)
}

/** Ends all of that at once. */
export async function endAllNaming(folder: string): Promise<void> {
  for (const { pid, command } of await processes(true)) if (command.includes(folder)) kill(pid)
}

async function stragglers(isOurs: (row: Row) => boolean, environment = false): Promise<string[]> {
  const startedMs = performance.now()
  for (;;) {
    const left = (await processes(environment)).filter(isOurs)
    if (left.length === 0 || performance.now() - startedMs > graceMs) {
      return left.map(({ command }) => command.slice(0, 200))
    }
    await delay(100)
  }
}

export function endGroup(group: number | undefined): void {
  if (group !== undefined) kill(-group)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}

async function processes(environment: boolean): Promise<Row[]> {
  const showEnvironment = process.platform === 'linux' ? 'e' : 'E'
  const flags = `axww${environment ? showEnvironment : ''}`
  const { stdout } = await run('ps', [flags, '-o', 'pid=,pgid=,stat=,command='], { maxBuffer: 64 * 1024 * 1024 })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, group, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (pid === undefined || group === undefined || state.startsWith('Z')) return []
    return Number(pid) === process.pid ? [] : [{ pid: Number(pid), group: Number(group), command }]
  })
}
