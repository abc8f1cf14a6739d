import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type {
  CompleteAnswer,
  InboxAnswer,
  ListAnswer,
  News,
  ReceiptAnswer,
  SendAnswer,
  UpdateAnswer,
  WaitAnswer,
  WatchAnswer,
} from '../../core/answers.ts'
import type { ToolClient } from '../../mcp/client.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import type { View } from '../output.ts'
import { count } from '../words.ts'

/** One thing one side did, and what it saw. */
interface Step {
  readonly who: string
  readonly did: string
  readonly saw: string
  /** How long the call took, ms. */
  readonly ms: number
}

interface Sides {
  readonly lead: ToolClient
  readonly reviewer: ToolClient
  readonly project: string
}

export default defineCommand({
  name: 'demo',
  summary: 'two sessions at work, on a temporary home',
  description: [
    'Starts two real servers with a real MCP client each, on a home of its own that is removed afterwards, and prints what each side did and saw: register, follow, message, wait, complete, and a session that disappears when its time to live is over. Takes a few seconds and touches nothing else.',
  ],
  args: {},
  examples: [{ line: 'session-mcp demo', does: 'see the bus work without any client' }],
  async run({ out, version }) {
    const { connectTool } = await import('../../mcp/client.ts')
    const home = mkdtempSync(path.join(os.tmpdir(), 'session-mcp-demo-'))
    const startedMs = performance.now()
    const steps: Step[] = []
    const server = [process.execPath, process.argv[1] ?? '', 'serve', '--home', home, '--default-ttl=4h']
    const connect = (name: string) => connectTool(name, version, server)
    const clients: ToolClient[] = []
    try {
      if (!out.isJson) await out.answer({}, () => 'Two servers, two clients, one temporary home:\n')
      clients.push(...(await Promise.all([connect('demo-lead'), connect('demo-reviewer')])))
      const [lead, reviewer] = clients
      if (lead === undefined || reviewer === undefined) throw new Error('two clients were connected')
      for await (const step of play({ lead, reviewer, project: home })) {
        steps.push(step)
        if (!out.isJson) await out.answer(step, renderStep)
      }
    } finally {
      await Promise.allSettled(clients.map((client) => client.close()))
      rmSync(home, { recursive: true, force: true })
    }
    const totalMs = Math.round(performance.now() - startedMs)
    await out.answer(
      { steps, totalMs },
      () =>
        `\nDone in ${(totalMs / 1000).toFixed(1)} s. Now register the server in your client: session-mcp help serve`,
    )
    return EXIT.ok
  },
})

async function* play({ lead, reviewer, project }: Sides): AsyncGenerator<Step> {
  const timed = async <T>(who: string, did: string, call: Promise<T>, saw: (answer: T) => string): Promise<Step> => {
    const startedMs = performance.now()
    const answer = await call
    return { who, did, saw: saw(answer), ms: performance.now() - startedMs }
  }
  const register = (client: ToolClient, name: string, task: string) =>
    client.call<UpdateAnswer>('update_session', { task, projectPath: project, name })

  yield await timed('lead', 'registers', register(lead, 'lead', 'ship the release'), ({ id }) => `session ${id}`)
  yield await timed(
    'reviewer',
    'registers',
    register(reviewer, 'reviewer', 'review what lead asks for'),
    ({ id }) => `session ${id}`,
  )
  yield await timed('lead', 'lists sessions', lead.call<ListAnswer>('list_sessions', {}), ({ sessions }) =>
    sessions.map(({ name, status, task }) => `${name} (${status}: ${task})`).join(', '),
  )
  yield await timed(
    'lead',
    'follows reviewer',
    lead.call<WatchAnswer>('watch_session', { sessions: ['reviewer'] }),
    ({ watching }) => `follows ${watching.map(({ name }) => name).join(', ')}`,
  )
  const letter = { to: ['reviewer'], content: 'Please review the parser.', intent: 'request' }
  let messageId = ''
  yield await timed('lead', 'sends a request', lead.call<SendAnswer>('send_message', letter), (sent) => {
    messageId = sent.messageId
    return sent.to
      .map(({ name, stored, wake }) => `${name}: stored ${stored}, wake ${wake.outcome} (${wake.evidence})`)
      .join('; ')
  })
  yield await timed(
    'reviewer',
    'looks around',
    reviewer.call<ListAnswer & { news?: News }>('list_sessions', {}),
    ({ news }) => `told of ${count(news?.unread ?? 0, 'unread message')}`,
  )
  const inbox = (client: ToolClient) => client.call<InboxAnswer>('read_inbox', {})
  const letters = ({ messages }: InboxAnswer) =>
    messages.map(({ from, content }) => `${from.name}: "${content}"`).join('; ')
  yield await timed('reviewer', 'reads its inbox', inbox(reviewer), letters)

  const waitedFrom = performance.now()
  const waiting = lead.call<WaitAnswer>('wait_for_sessions', { sessions: ['reviewer'], timeout: '30s' })
  const answer = { content: 'Looks good, one typo.', replyTo: messageId }
  yield await timed(
    'reviewer',
    'answers',
    reviewer.call<SendAnswer>('send_message', answer),
    ({ to }) => `stored for ${to.map(({ name }) => name).join(', ')}`,
  )
  const done = { result: 'approved', ttl: '2s' }
  yield await timed(
    'reviewer',
    'completes',
    reviewer.call<CompleteAnswer>('complete_session', done),
    ({ status, followers }) => `${status}, ${count(followers.length, 'follower')} will be told`,
  )
  const completedMs = performance.now()
  const waited = await waiting
  const lateMs = performance.now() - completedMs
  const [row] = waited.sessions
  yield {
    who: 'lead',
    did: 'waited for reviewer',
    saw: `${row?.name} ${row?.status}: "${row?.result}", known ${lateMs.toFixed(1)} ms after it was so`,
    ms: performance.now() - waitedFrom,
  }
  yield await timed('lead', 'reads its inbox', inbox(lead), letters)
  yield await timed(
    'lead',
    'asks for a receipt',
    lead.call<ReceiptAnswer>('message_status', { messageId }),
    ({ recipients }) =>
      recipients
        .map(({ name, evidence, repliedWith }) => `${name}: ${evidence}; ${repliedWith ? 'replied' : 'no reply'}`)
        .join('; '),
  )
  yield await timed(
    'lead',
    'lists until the TTL',
    untilAlone(lead),
    ({ sessions }) => `after its 2 s reviewer is gone; there is ${sessions.map(({ name }) => name).join(', ')}`,
  )
}

async function untilAlone(lead: ToolClient): Promise<ListAnswer> {
  for (;;) {
    const list = await lead.call<ListAnswer>('list_sessions', {})
    if (list.total === 1) return list
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function renderStep({ who, did, saw, ms }: Step, { paint }: View): string {
  return `${paint.faint(`${ms.toFixed(1).padStart(7)} ms`)}  ${paint.name(who.padEnd(8))}  ${paint.strong(did.padEnd(20))} ${saw}`
}
