/**
 * Processes that change the same session records, killed at random, lock in hand or file half written. Holds when every
 * acknowledged change is kept, no lock outlives its owner, and nobody ever reads half a record.
 */

import fs from 'node:fs'
import path from 'node:path'
import { startLooker } from '../lab/looker.ts'
import { dice } from '../lab/random.ts'
import { type Remote, RemoteError, startRemote } from '../lab/remote.ts'
import { pause } from '../lab/until.ts'

export interface RecordsOptions {
  readonly home: string
  /** A directory beside home, for what the looker saw. */
  readonly directory: string
  readonly seed: number
  readonly writers: number
  /** The least of each; the writers go on until all three are reached, on a fast machine and on a slow one. */
  readonly changes: number
  readonly kills: number
  readonly looks: number
  readonly killEveryMs: readonly [least: number, most: number]
  readonly durability?: 'power' | 'process'
  readonly say?: (line: string) => void
}

export interface RecordsResult {
  readonly violations: readonly string[]
  readonly acknowledged: number
  readonly kills: number
  readonly filesLooked: number
  readonly slowestMs: number
}

const SHARED = 'shared-session'

export async function runRecords(options: RecordsOptions): Promise<RecordsResult> {
  const { home, directory, writers, changes, durability = 'process', killEveryMs, say = () => undefined } = options
  const random = dice(options.seed)
  const violations: string[] = []
  const looker = await startLooker(home, path.join(directory, 'looker-of-records'))
  // Never killed, and only there to begin and to end.
  const witness = await startRemote('library', { args: [home, JSON.stringify({ durability })] })
  await witness.ask('join', { id: SHARED })
  const { statusSeq: before } = recordOf(home)
  let acknowledged = 0
  let unknown = 0
  let kills = 0
  let slowestMs = 0
  let begun = 0
  let isOver = false
  const remotes = new Map<number, Remote>()

  const isEnough = () => begun >= changes && kills >= options.kills && looker.looked() >= options.looks
  const write = async (n: number) => {
    while (!isEnough()) {
      const remote = remotes.get(n) ?? (await join(home, durability))
      remotes.set(n, remote)
      begun += 1
      const startedMs = performance.now()
      try {
        // Every writer beats as well, so that locks are met at all times.
        await remote.ask('update', { progress: `${n}: ${begun}` })
        acknowledged += 1
        slowestMs = Math.max(slowestMs, performance.now() - startedMs)
      } catch (fault) {
        if (fault instanceof RemoteError) violations.push(`writer ${n}: ${fault.message}`)
        else unknown += 1
        remotes.delete(n)
      }
    }
  }
  const killing = (async () => {
    while (!isOver) {
      await pause(random.between(...killEveryMs))
      const [n, victim] = random.pick([...remotes]) ?? []
      if (n === undefined || victim === undefined || isOver) continue
      victim.kill()
      kills += 1
      if (kills % 100 === 0) say(`${acknowledged} changes acknowledged, ${kills} writers killed`)
    }
  })()
  await Promise.all(Array.from({ length: writers }, (_, n) => write(n)))
  isOver = true
  await killing
  for (const remote of remotes.values()) {
    remote.kill()
    await remote.ended
  }

  // Whoever comes next can change the record at once, whatever the dead left behind.
  await witness
    .ask('update', { progress: 'the last' })
    .catch((fault) => violations.push(`afterwards: ${String(fault)}`))
  const after = recordOf(home)
  const grown = after.statusSeq - before - 1
  if (after.progress !== 'the last') violations.push(`the last change is not kept: ${after.progress}`)
  if (grown < acknowledged || grown > acknowledged + unknown) {
    violations.push(`${acknowledged} changes acknowledged and ${unknown} cut off, but the record counts ${grown}`)
  }
  await witness.ask('tidy')
  for (const name of fs.readdirSync(path.join(home, 'tmp'))) violations.push(`tmp/${name} was left behind`)
  for (const name of fs.readdirSync(path.join(home, 'locks'))) violations.push(`locks/${name} was left behind`)
  witness.kill()
  const looked = await looker.end()
  violations.push(...looked.torn)
  return { violations, acknowledged, kills, filesLooked: looked.files, slowestMs: Math.round(slowestMs) }
}

async function join(home: string, durability: string): Promise<Remote> {
  const remote = await startRemote('library', { args: [home, JSON.stringify({ durability })] })
  // It may be the victim already.
  await remote.ask('join', { id: SHARED }).catch(() => undefined)
  await remote.ask('beat', { id: SHARED, everyMs: 5 }).catch(() => undefined)
  return remote
}

function recordOf(home: string): { statusSeq: number; progress?: string } {
  return JSON.parse(fs.readFileSync(path.join(home, 'sessions', `${SHARED}.json`), 'utf8'))
}
