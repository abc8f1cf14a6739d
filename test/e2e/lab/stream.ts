/** A session of a host that reads prompts from its stdin, one JSON object per line, and answers the same way. */
import { spawn } from 'node:child_process'
import { type Host, prepare, type Task } from './host.ts'
import { endGroup, leftInGroup } from './processes.ts'
import { patienceMs, until } from './until.ts'

export interface Stream {
  /** The host's own process. */
  readonly pid: number
  /** Submits a prompt; resolves when the turn it starts has ended. */
  say(text: string): Promise<void>
  /** How many turns have ended. */
  turns(): number
  /** What it wrote, parsed. */
  readonly events: readonly Record<string, unknown>[]
  /** Closes its stdin and waits for its end. */
  end(): Promise<{ exitCode: number | null; leftBehind: string[]; stderr: string }>
}

export async function openStream(host: Host, task: Task): Promise<Stream> {
  const { args, env } = await prepare(host, task)
  const child = spawn(task.executable, args, {
    cwd: task.project,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const kill = () => endGroup(child.pid)
  process.once('exit', kill)
  const events: Record<string, unknown>[] = []
  let rest = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('{')) events.push(JSON.parse(line))
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => undefined) // It hangs up when it ends.
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  const turns = () => events.filter(({ type }) => type === 'result').length
  let ending: Promise<{ exitCode: number | null; leftBehind: string[]; stderr: string }> | undefined

  async function end() {
    child.stdin.end()
    const timer = setTimeout(kill, patienceMs)
    try {
      const exitCode = await exited
      const leftBehind = await leftInGroup(child.pid)
      return { exitCode, leftBehind, stderr }
    } finally {
      clearTimeout(timer)
      kill()
      process.off('exit', kill)
    }
  }

  return {
    pid: child.pid ?? 0,
    events,
    turns,
    async say(text) {
      const before = turns()
      const message = { role: 'user', content: [{ type: 'text', text }] }
      child.stdin.write(`${JSON.stringify({ type: 'user', message, parent_tool_use_id: null, session_id: '' })}\n`)
      await until(`the turn of ${JSON.stringify(text.slice(0, 40))} ends`, () => turns() > before)
    },
    end() {
      ending ??= end()
      return ending
    },
  }
}
