/** `opencode serve`: several sessions in one process, driven over HTTP as its own clients do. */
import { spawn } from 'node:child_process'
import { type Host, prepare, type Task } from './host.ts'
import { endGroup, leftInGroup } from './processes.ts'
import { patienceMs, until } from './until.ts'

export interface Server {
  readonly pid: number
  readonly url: string
  /** @throws Error with the answer where it is no success. */
  call(method: string, route: string, body?: unknown): Promise<unknown>
  end(): Promise<{ exitCode: number | null; leftBehind: string[]; stderr: string }>
}

export async function openServer(host: Host, task: Task): Promise<Server> {
  const { args, env } = await prepare(host, task)
  const child = spawn(task.executable, args, {
    cwd: task.project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const kill = () => endGroup(child.pid)
  process.once('exit', kill)
  let said = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await until('the server says where it listens', () => /http:\/\/[\d.]+:\d+/.exec(said)?.[0])
  let ending: ReturnType<Server['end']> | undefined

  async function end() {
    child.kill('SIGTERM')
    const timer = setTimeout(kill, patienceMs)
    try {
      const exitCode = await exited
      return { exitCode, leftBehind: await leftInGroup(child.pid), stderr }
    } finally {
      clearTimeout(timer)
      kill()
      process.off('exit', kill)
    }
  }

  return {
    pid: child.pid ?? 0,
    url,
    async call(method, route, body) {
      const answer = await fetch(`${url}${route}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    end() {
      ending ??= end()
      return ending
    },
  }
}
