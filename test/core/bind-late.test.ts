/** A created conversation whose host passes on no environment, and which registers before its first prompt comes. */
import { describe, expect, it } from 'vitest'
import { openHost, who } from './hosted.ts'
import { executor } from './tabs.ts'
import { createWorld, only } from './world.ts'

async function opened() {
  const tabs = executor({ outcome: () => ({ state: 'done', evidence: 'started', place: { job: 'a1b2c3' } }) })
  const world = createWorld({ executors: [tabs] })
  const host = openHost(world)
  const lead = host.talk('lead', { title: 'lead' })
  await lead.start()
  const answer = await lead.tools.create({ prompt: 'Review.', host: 'hosted', name: 'reviewer' })
  const prompt = only(tabs.performed).params.prompt ?? ''
  return { world, host, lead, id: answer.sessionId ?? '', prompt }
}

describe('the first prompt of a session that a background service started', () => {
  it('makes it the session that was created, and what its start had registered is gone', async () => {
    const { world, host, lead, id, prompt } = await opened()
    const talk = host.talk('job-key', { title: 'reviewer' })
    expect(who(await talk.start())).toEqual({ name: 'reviewer-2', id: 'job-key' })
    expect(who(await talk.prompt(prompt))).toEqual({ name: 'reviewer', id })
    const { sessions } = await world.human.list()
    expect(sessions.map(({ name }) => name).sort()).toEqual(['lead', 'reviewer'])
    expect((await world.entry(id)).session.host).toMatchObject({ hostKey: 'job-key', job: 'a1b2c3' })
    expect(await lead.tools.query('reviewer')).toMatchObject({ activity: 'working', opened: { state: 'done' } })
    // The name it gave up is free, and its calls are the session's.
    expect(await (await world.session('reviewer-2')).query('me')).toMatchObject({ name: 'reviewer-2' })
    expect((await talk.tools.query('me')).id).toBe(id)
  })

  it('binds once: the same text in another conversation opens nothing', async () => {
    const { host, id, prompt } = await opened()
    const talk = host.talk('job-key')
    await talk.start()
    await talk.prompt(prompt)
    const other = host.talk('other-key')
    await other.start()
    await other.prompt(prompt)
    expect((await other.tools.query('me')).id).toBe('other-key')
    expect((await talk.tools.query('me')).id).toBe(id)
  })

  it('does not take a session away that has worked before', async () => {
    const { host, lead, prompt } = await opened()
    const talk = host.talk('worked')
    await talk.start()
    await talk.prompt('Do something.')
    await talk.prompt(prompt)
    expect((await talk.tools.query('me')).id).toBe('worked')
    expect(await lead.tools.query('reviewer')).toMatchObject({ opened: { state: 'requested' } })
  })

  it('a token that was not given out opens nothing', async () => {
    const { host, id, prompt } = await opened()
    const talk = host.talk('guesser')
    await talk.start()
    await talk.prompt(prompt.replace(/\.[0-9a-z]{20}\)/, `.${'z'.repeat(20)})`))
    expect((await talk.tools.query('me')).id).toBe('guesser')
    expect(id).not.toBe('guesser')
  })
})
