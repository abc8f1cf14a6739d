/**
 * Processes that go on talking while their home is removed, replaced, and blocked by a file, again and again. What was in
 * it is gone, and that is no fault; holds when every refusal says what is wrong by its code, and all of them work again.
 */

import fs from 'node:fs'
import type { Place } from '../lab/place.ts'
import { dice } from '../lab/random.ts'
import { type Remote, RemoteError, startRemote } from '../lab/remote.ts'
import { pause, until } from '../lab/until.ts'

export interface HomeLostOptions {
  readonly place: Place
  readonly seed: number
  /** At least; more until somebody was refused something, since a run that nobody noticed would prove nothing. */
  readonly rounds: number
  readonly say?: (line: string) => void
}

export interface HomeLostResult {
  readonly violations: readonly string[]
  readonly answered: number
  /** Refusals by code. */
  readonly refused: Readonly<Record<string, number>>
}

/** What a call may be told while home is not there, or was just made again. */
const PLAIN = new Set(['NOT_REGISTERED', 'SESSION_NOT_FOUND', 'STORE_UNREADABLE', 'HOME_UNWRITABLE', 'STORE_BUSY'])

export async function runHomeLost({
  place,
  seed,
  rounds,
  say = () => undefined,
}: HomeLostOptions): Promise<HomeLostResult> {
  const random = dice(seed)
  const violations = new Map<string, number>()
  const violate = (what: string) => void violations.set(what, (violations.get(what) ?? 0) + 1)
  const refused: Record<string, number> = {}
  let answered = 0
  let isOver = false
  const names = ['a', 'b', 'c']
  const order = JSON.stringify({ durability: 'process' })
  const remotes = new Map<string, Remote>()
  for (const name of names) remotes.set(name, await startRemote('library', { args: [place.home, order] }))

  const talk = async (name: string, remote: Remote) => {
    while (!isOver) {
      const call = random.pick([
        () => remote.ask('join', { id: name }),
        () => remote.ask('update', { progress: `${answered}` }),
        () => remote.ask('send', { to: [random.pick(names) ?? name], content: 'hello' }),
        () => remote.ask('take'),
        () => remote.ask('list', {}),
        () => remote.ask('sweep'),
      ])
      try {
        await call?.()
        answered += 1
      } catch (fault) {
        if (!(fault instanceof RemoteError)) {
          violate(`${name} ended: ${String(fault)}`)
          return
        }
        const { code } = fault
        refused[code] = (refused[code] ?? 0) + 1
        if (!PLAIN.has(code)) violate(String(fault).replaceAll(/'\/[^']*'/g, 'a file'))
      }
    }
  }
  for (const [name, remote] of remotes) await remote.ask('join', { id: name })
  const talks = [...remotes].map(([name, remote]) => talk(name, remote))
  try {
    for (let round = 0; round < rounds || Object.keys(refused).length === 0; round++) {
      const before = answered
      await until('something is answered', () => answered > before + 10)
      random.pick([remove, replace, block])?.(place.home)
      await pause(random.between(0, 40))
      unblock(place.home)
      if (round % 10 === 9) say(`${round + 1} of ${rounds} rounds, ${answered} calls answered`)
    }
  } finally {
    isOver = true
    await Promise.all(talks)
  }

  for (const [name, remote] of remotes) await remote.ask('join', { id: name })
  for (const [name, remote] of remotes) {
    await remote.ask('take')
    await remotes.get(name === 'a' ? 'b' : 'a')?.ask('send', { to: [name], content: 'all is well' })
    const { messages } = await remote.ask<{ messages: { content: string }[] }>('take')
    if (messages.length !== 1) violate(`${name} got ${messages.length} messages instead of one when all was over`)
  }
  for (const remote of remotes.values()) remote.kill()
  return { violations: [...violations].map(([what, times]) => `${times}x ${what}`), answered, refused }
}

function remove(home: string): void {
  for (;;) {
    try {
      fs.rmSync(home, { recursive: true, force: true })
      return
    } catch {
      // whoever writes made a folder again that was removed before
    }
  }
}

let olds = 0

function replace(home: string): void {
  moveAway(home)
  fs.mkdirSync(home, { recursive: true, mode: 0o700 })
}

function moveAway(home: string): void {
  if (fs.existsSync(home)) fs.renameSync(home, `${home}.old-${olds++}`)
}

function block(home: string): void {
  try {
    moveAway(home)
    fs.writeFileSync(home, 'in the way', { flag: 'wx' })
  } catch {
    // somebody made it again in between
  }
}

function unblock(home: string): void {
  if (fs.statSync(home, { throwIfNoEntry: false })?.isFile()) fs.unlinkSync(home)
}
