import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sendsNoEvents, watchDirectories } from '../../src/store/files/watch.ts'
import { aMessage, aSession } from '../contract/records.ts'
import { freshPlace } from './place.ts'

const place = freshPlace()

/** As `expect.poll`, which would run the fake timers. */
async function until(isSo: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 60_000
  while (!isSo()) {
    if (performance.now() > deadlineMs) throw new Error(`not within 60 s: ${isSo}`)
    // Where the rest of the machine has taken all watches there are, looks are all there is.
    if (!hasEvents()) vi.advanceTimersByTime(250)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Whether the system gives one more watch now: a user has 128 inotify instances by default. */
function hasEvents(): boolean {
  try {
    fs.watch(place.root).close()
    return true
  } catch {
    return false
  }
}

/** The hints of a watch, which is closed when the work is done. */
async function hearing(
  watch: (hint: (about?: string) => void) => { close(): void; readonly mode: string },
  work: (heard: () => number, mode: () => string) => Promise<void>,
): Promise<void> {
  let count = 0
  const watching = watch(() => {
    count += 1
  })
  try {
    await work(
      () => count,
      () => watching.mode,
    )
  } finally {
    watching.close()
  }
}

describe('a watch', () => {
  // Only the looks in between: the events themselves come from the system.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('C092 hears of the first message of an inbox that is made and filled at once', async () => {
    const store = place.open()
    await hearing(
      (hint) => store.inbox.watch('new', hint),
      async (heard, mode) => {
        expect(mode()).toBe('polling')
        await place.open().inbox.deliver(aMessage('new', 1))
        vi.advanceTimersByTime(250)
        expect(heard()).toBe(1)
        expect(mode()).toBe(hasEvents() ? 'events' : 'polling')
      },
    )
  })

  it('goes on after its directory was taken away and made again', async () => {
    const store = place.open()
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    await hearing(
      (hint) => store.sessions.watch(hint),
      async (heard) => {
        // Moved, not removed: the old directory lives on, and a watch that stays with it hears nothing any more.
        fs.renameSync(place.home, `${place.home}-before`)
        await place.open().sessions.change('b', () => ({ session: aSession('b') }))
        // No look but the one that is made now: it hears of the change and watches the new directory from here on.
        const before = heard()
        vi.advanceTimersByTime(2_000)
        expect(heard()).toBeGreaterThan(before)
        for (let n = 0; n < 2; n++) {
          const heardOf = heard()
          await place.open().sessions.change('b', () => ({ session: aSession('b', { statusSeq: n + 2 }) }))
          await until(() => heard() > heardOf)
        }
      },
    )
  })

  it('where the system sends no event hears by looking, every two seconds', async () => {
    fs.mkdirSync(place.home)
    const old = new Date(Date.now() - 60_000)
    await hearing(
      (hint) => watchDirectories([place.home], hint),
      async (heard) => {
        // A time that moves without any event is what a lost event looks like.
        place.write('x', 'file')
        await until(() => heard() > 0)
        fs.utimesSync(place.home, old, old)
        const before = heard()
        vi.advanceTimersByTime(2_000)
        expect(heard()).toBeGreaterThan(before)
      },
    )
  })

  it('that was closed is silent, and can be closed again', async () => {
    fs.mkdirSync(place.home)
    let late = 0
    const closed = watchDirectories([place.home], () => {
      late += 1
    })
    closed.close()
    closed.close()
    await hearing(
      (hint) => watchDirectories([place.home], hint),
      async (heard) => {
        place.write('x', 'file')
        await until(() => heard() > 0)
        expect(late).toBe(0)
      },
    )
  })

  it.each(['\\\\wsl.localhost\\Ubuntu\\home\\u', '\\\\wsl$\\Ubuntu', '//wsl$/Ubuntu/home', '//server/share/x'])(
    'C094 of a share such as %s polls by itself',
    (directory) => {
      expect(sendsNoEvents(directory)).toBe(true)
    },
  )

  it('C094 of a local directory uses events', () => {
    fs.mkdirSync(place.home)
    expect(sendsNoEvents(place.home)).toBe(false)
    expect(sendsNoEvents(place.at('not-there'))).toBe(false)
    const watch = watchDirectories([place.home], () => undefined)
    expect(watch.mode).toBe(hasEvents() ? 'events' : 'polling')
    watch.close()
  })
})

describe('a wake', () => {
  it('is an empty file whose time moves with each touch, and nothing else', async () => {
    const store = place.open()
    await store.hosts.touchWake('key')
    const old = new Date(Date.now() - 60_000)
    fs.utimesSync(place.at('wakes', 'key'), old, old)
    await store.hosts.touchWake('key')
    const stat = fs.statSync(place.at('wakes', 'key'))
    expect(stat.size).toBe(0)
    expect(stat.mtimeMs).toBeGreaterThan(old.getTime())
    expect(fs.readdirSync(place.at('wakes'))).toEqual(['key'])
  })
})
