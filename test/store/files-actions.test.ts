/** Queues on disk: a host's process has one of its own, and ends. */
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { anAction } from '../contract/actions.ts'
import { deadTag, freshPlace } from './place.ts'

const place = freshPlace()
/** A minute ago: what is made now is younger. */
const DAY = new Date(Date.now() - 60_000).toISOString()
const DAY_BEFORE = new Date(Date.parse(DAY) - 86_400_000).toISOString()

function rest(queue: string): void {
  const before = new Date(Date.parse(DAY) - 1000)
  fs.utimesSync(queue, before, before)
}

describe('the queue of an executor', () => {
  it('that nobody has used for as long as actions are kept is taken away, and no other', async () => {
    const { actions } = place.open()
    const old = anAction(1, { executor: 'opencode-1', requestedAt: DAY_BEFORE })
    await actions.request(old)
    await actions.claim('opencode-1', old.id)
    await actions.finish(old, { state: 'done', evidence: 'seen' }, DAY)
    await actions.request(anAction(2, { executor: 'opencode-2', requestedAt: DAY }))
    actions.watch('opencode-3', () => {}).close()
    for (const executor of ['opencode-1', 'opencode-2']) rest(place.at('actions', executor))
    expect(await actions.drop(DAY)).toBe(1)
    expect(fs.readdirSync(place.at('actions')).sort()).toEqual(['opencode-2', 'opencode-3'])
    expect(await actions.waiting('opencode-2')).toHaveLength(1)
  })

  it('keeps nothing damaged for longer than what can be read', async () => {
    const { actions } = place.open()
    for (const n of [1, 2]) await actions.request(anAction(n, { executor: 'opencode-1', requestedAt: DAY }))
    for (const n of [1, 2]) fs.writeFileSync(place.at('actions', 'opencode-1', `${anAction(n).id}.json`), '{')
    rest(place.at('actions', 'opencode-1', `${anAction(1).id}.json`))
    expect(await actions.drop(DAY)).toBe(1)
    expect(await actions.waiting('opencode-1')).toEqual([anAction(2).id])
  })

  it('is there again with the next request, and whoever watches it is told', async () => {
    const { actions } = place.open()
    let hints = 0
    let seen = () => {}
    const hinted = new Promise<void>((resolve) => {
      seen = resolve
    })
    const watch = actions.watch('opencode-1', () => {
      hints += 1
      if (fs.existsSync(place.at('actions', 'opencode-1'))) seen()
    })
    rest(place.at('actions', 'opencode-1'))
    await actions.drop(DAY)
    expect(fs.existsSync(place.at('actions', 'opencode-1'))).toBe(false)
    await actions.request(anAction(1, { executor: 'opencode-1' }))
    await hinted
    watch.close()
    expect(hints).toBeGreaterThan(0)
    expect(await actions.waiting('opencode-1')).toEqual([anAction(1).id])
  })
})

describe('an action that was taken by a process that is gone', () => {
  async function taken(n: number) {
    const { actions } = place.open()
    await actions.request(anAction(n))
    await actions.claim('ide', anAction(n).id)
    const claims = place.at('actions', 'ide', 'claimed')
    const [claim = ''] = fs.readdirSync(claims).filter((name) => name.startsWith(anAction(n).id))
    fs.renameSync(`${claims}/${claim}`, `${claims}/${anAction(n).id}~${await deadTag()}`)
    return { actions, claims }
  }

  it('is unknown wherever one looks, and looking changes nothing', async () => {
    const { actions, claims } = await taken(1)
    const unknown = { id: anAction(1).id, state: 'unknown', evidence: 'its executor ended before it said how it went' }
    for (let n = 0; n < 2; n++) {
      expect(await actions.find('ide', anAction(1).id)).toMatchObject(unknown)
      expect(await actions.about('b')).toMatchObject([unknown])
      expect(await actions.unfinished()).toMatchObject([{ action: { id: anAction(1).id }, taker: 'gone' }])
    }
    expect(fs.readdirSync(claims)).toHaveLength(1)
    await actions.finish(anAction(1), { state: 'unknown', evidence: 'nobody knows' }, DAY)
    expect(fs.readdirSync(claims)).toEqual([])
    expect(await actions.unfinished()).toEqual([])
  })

  it('and that had said how it went is what it said', async () => {
    const { actions } = await taken(1)
    const done = { ...anAction(1), state: 'done', evidence: 'seen', finishedAt: DAY }
    fs.mkdirSync(place.at('actions', 'ide', 'done'), { recursive: true })
    place.write(JSON.stringify(done), 'actions', 'ide', 'done', `${anAction(1).id}.json`)
    expect(await actions.unfinished()).toEqual([])
    expect(await actions.about('b')).toEqual([done])
    expect(await actions.find('ide', anAction(1).id)).toEqual(done)
  })
})

describe('a look at all queues', () => {
  it('leaves out what is damaged, what lies in the queue of another, and what is no queue', async () => {
    const { actions } = place.open()
    for (const n of [1, 2, 3]) await actions.request(anAction(n))
    place.write('{', 'actions', 'ide', `${anAction(1).id}.json`)
    place.write(JSON.stringify(anAction(2, { executor: 'tmux' })), 'actions', 'ide', `${anAction(2).id}.json`)
    place.write('x', 'actions', '.DS_Store')
    expect((await actions.unfinished()).map(({ action }) => action.id)).toEqual([anAction(3).id])
    expect((await actions.about('b')).map(({ id }) => id)).toEqual([anAction(3).id])
  })
})
