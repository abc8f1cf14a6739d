/** One scripted conversation: what its model says, and what it was shown. */
import type { Answer, Args, Exchange, ModelRequest } from './dialect.ts'

type Condition = Promise<unknown> | (() => Promise<unknown>)
/** A step waits for `after` before it is said, so two sessions interleave as the test wants. */
export type Step =
  | { tool: RegExp; args: Args | ((request: ModelRequest) => Args); after?: Condition }
  | { text: string; after?: Condition }
export type Script = readonly Step[] | ((request: ModelRequest) => Step)

export interface Conversation {
  readonly key: string
  /** Every request that offered tools, in order of arrival. */
  readonly requests: readonly ModelRequest[]
  play(script: Script): void
  /** Resolves when the host asks for step `turn`, so the results of all steps before it have been shown. */
  reached(turn: number): Promise<ModelRequest>
  /** The last result shown for the tool whose name ends in `tool`; throws when there is none. */
  result(tool: string): string
  /** Lets everything that waits for this conversation go on: its host is gone. */
  abandon(reason: string): void
  answer(request: ModelRequest): Promise<Answer>
}

export function createConversation(key: string, report: (exchange: Exchange) => void): Conversation {
  const requests: ModelRequest[] = []
  const waiting: { turn: number; resolve: (request: ModelRequest) => void; reject: (reason: Error) => void }[] = []
  let script: Script = []
  let reported = 0
  let abandoned: Error | undefined

  return {
    key,
    requests,
    play(next) {
      script = next
    },
    reached(turn) {
      const already = requests.find((request) => request.turn >= turn)
      const reaching = new Promise<ModelRequest>((resolve, reject) => {
        if (already !== undefined) resolve(already)
        else if (abandoned !== undefined) reject(abandoned)
        else waiting.push({ turn, resolve, reject })
      })
      reaching.catch(() => undefined) // A step that is never said has nobody to tell.
      return reaching
    },
    result(tool) {
      const exchange = requests.at(-1)?.exchanges.findLast((each) => each.tool.endsWith(tool))
      if (exchange?.result === undefined) throw new Error(`${key} was never shown a result of ${tool}`)
      return exchange.result
    },
    abandon(reason) {
      abandoned = new Error(`${key}: ${reason}`)
      for (const { reject } of waiting.splice(0)) reject(abandoned)
    },
    async answer(request) {
      requests.push(request)
      for (const exchange of request.exchanges.slice(reported)) report(exchange)
      reported = Math.max(reported, request.exchanges.length)
      for (const waiter of waiting.splice(0)) {
        if (request.turn >= waiter.turn) waiter.resolve(request)
        else waiting.push(waiter)
      }
      try {
        return await say(script, request)
      } catch (error) {
        const reason = `lab: ${error instanceof Error ? error.message : String(error)}`
        console.log(`[${key}] ${reason}`)
        return { text: reason }
      }
    },
  }
}

async function say(script: Script, request: ModelRequest): Promise<Answer> {
  const step = typeof script === 'function' ? script(request) : script[request.turn]
  if (step === undefined) return { text: 'done' }
  await (typeof step.after === 'function' ? step.after() : step.after)
  if ('text' in step) return { text: step.text }
  const tool = request.tools.find((name) => step.tool.test(name))
  if (tool === undefined) throw new Error(`no tool matches ${step.tool}; offered: ${request.tools.join(', ')}`)
  return { tool, args: typeof step.args === 'function' ? step.args(request) : step.args }
}
