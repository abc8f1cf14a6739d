/** Action files that say nothing: they are never taken for none, keep nobody else waiting, and go with time. */
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { anAction } from '../contract/actions.ts'
import { freshPlace } from './place.ts'

const place = freshPlace()
/** A minute ago: what is made now is younger. */
const DAY = new Date(Date.now() - 60_000).toISOString()
const DAY_BEFORE = new Date(Date.parse(DAY) - 86_400_000).toISOString()
const DAMAGED = ['', '{', 'null', '[]', '{"id":"act-000000000001"}', '\0\0\0\0']

/** Writes what is no action, as if it had been there since yesterday. */
function write(file: string, text: string): void {
  fs.writeFileSync(file, text, { mode: 0o600 })
  const before = new Date(Date.parse(DAY) - 1000)
  fs.utimesSync(file, before, before)
}

describe('a damaged action', () => {
  it.each(DAMAGED)('%j that waits is said to be unreadable, and those after it are performed', async (text) => {
    const { actions } = place.open()
    await actions.request(anAction(1))
    await actions.request(anAction(2))
    write(place.at('actions', 'ide', `${anAction(1).id}.json`), text)
    await expect(actions.find('ide', anAction(1).id)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    await expect(actions.claim('ide', anAction(1).id)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    expect(await actions.waiting('ide')).toEqual([anAction(2).id])
    expect(await actions.claim('ide', anAction(2).id)).toEqual(anAction(2))
  })

  it('that was claimed is said to be unreadable, and is never performed again', async () => {
    const { actions } = place.open()
    await actions.request(anAction(1))
    await actions.claim('ide', anAction(1).id)
    const [claim = ''] = fs.readdirSync(place.at('actions', 'ide', 'claimed'))
    write(place.at('actions', 'ide', 'claimed', claim), '{')
    await expect(actions.find('ide', anAction(1).id)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    expect(await actions.claim('ide', anAction(1).id)).toBeUndefined()
    await actions.finish(anAction(1), { state: 'done', evidence: 'seen' }, DAY)
    expect(await actions.find('ide', anAction(1).id)).toMatchObject({ state: 'done' })
  })

  it('goes with the others of its age, and what lies beside the queues is nobody’s', async () => {
    const { actions } = place.open()
    await actions.request(anAction(1, { requestedAt: DAY_BEFORE }))
    write(place.at('actions', 'ide', `${anAction(1).id}.json`), '{')
    fs.writeFileSync(place.at('actions', '.DS_Store'), 'x')
    fs.mkdirSync(place.at('actions', 'ide', 'done'))
    write(place.at('actions', 'ide', 'done', `${anAction(2).id}.json`), '')
    expect(await actions.drop(DAY)).toBe(2)
    expect(fs.readdirSync(place.at('actions', 'ide', 'done'))).toEqual([])
    expect(await actions.waiting('ide')).toEqual([])
    expect(fs.existsSync(place.at('actions', '.DS_Store'))).toBe(true)
  })

  it('that is fresh stays for whoever looks into it', async () => {
    const { actions } = place.open()
    await actions.request(anAction(1))
    fs.writeFileSync(place.at('actions', 'ide', `${anAction(1).id}.json`), '{')
    expect(await actions.drop('2000-01-01T00:00:00.000Z')).toBe(0)
    expect(await actions.waiting('ide')).toEqual([anAction(1).id])
  })
})
