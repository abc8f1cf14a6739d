import { describe, expect, test } from 'vitest'
import { TOOLS } from '../../src/tools/registry.ts'
import { call, refused } from './call.ts'
import { fakeBus } from './fake-bus.ts'

/** The least every tool accepts. */
const MINIMAL: Readonly<Record<string, Record<string, unknown>>> = {
  complete_session: {},
  create_session: {},
  list_sessions: {},
  manage_session: { session: 'b', operation: 'switch' },
  message_status: { messageId: 'm-1' },
  query_session: { session: 'b' },
  read_inbox: {},
  send_message: { to: ['b'], content: 'x' },
  update_session: {},
  wait_for_sessions: { sessions: ['b'] },
  watch_session: { sessions: ['b'] },
}

describe('C194: null counts as left out', () => {
  test.each(TOOLS)('$name with null in every optional parameter is called as if they were absent', async (tool) => {
    const nulls = Object.fromEntries(Object.keys(tool.input).map((name) => [name, null]))
    const bus = fakeBus()
    const { result } = await call(tool.name, { ...nulls, groupId: null, ...MINIMAL[tool.name] }, bus)
    expect(result.isError).toBeUndefined()
    const withNulls = bus.calls
    const plain = fakeBus()
    await call(tool.name, MINIMAL[tool.name], plain)
    expect(withNulls.map(({ input }) => JSON.stringify(input))).toEqual(
      plain.calls.map(({ input }) => JSON.stringify(input)),
    )
  })

  test('a required parameter that is null is missing', async () => {
    const { message } = await refused('send_message', { to: 'b', content: null })
    expect(message).toBe('"content" is missing; it takes text.')
  })

  test('arguments that are null or left out are an empty object', async () => {
    for (const none of [null, undefined]) expect((await call('list_sessions', none)).result.isError).toBeUndefined()
  })
})

test('the snake_case spelling of every parameter is accepted', async () => {
  const bus = fakeBus()
  await call('update_session', { task: 't', project_path: '/p', group_id: 'g', session_id: 'me' }, bus)
  expect(bus.inputs('update')).toEqual([{ task: 't', projectPath: '/p', groupId: 'g' }])
  expect(bus.hints[0]?.argument).toBe('me')
})

test('two spellings of one parameter in one call are refused', async () => {
  const { message } = await refused('update_session', { projectPath: '/a', project_path: '/b' })
  expect(message).toBe('"projectPath" was given twice, in two spellings.')
})

test('an unknown parameter is refused and the accepted ones are named, the nearest first', async () => {
  const bus = fakeBus()
  const { code, message } = await refused('send_message', { to: 'b', content: 'x', activte: 'auto' }, bus)
  expect(code).toBe('BAD_INPUT')
  expect(message).toMatch(/^"activte" is not a parameter of send_message; it takes activate, .*priority/)
  expect(bus.calls).toEqual([])
})

describe('lists', () => {
  test('one plain string stands for a list of one', async () => {
    const bus = fakeBus()
    await call('send_message', { to: 'b', content: 'x' }, bus)
    expect(bus.inputs('send')).toEqual([{ to: ['b'], content: 'x' }])
  })

  test.each(['["a"]', ' ["a","b"]', '[', '["a"'])('text that looks like a JSON array is refused: %s', async (to) => {
    const { message } = await refused('send_message', { to, content: 'x' })
    expect(message).toBe(
      '"to" must be a list of texts, not text that looks like one; send a real array, such as ["a","b"].',
    )
  })

  test.each([
    [['a', 7], 'a list whose item 2 is the number 7'],
    [['a', null], 'a list whose item 2 is null'],
    [{ a: 1 }, 'an object'],
    [7, 'the number 7'],
  ])('%j is refused', async (sessions, what) => {
    const { message } = await refused('wait_for_sessions', { sessions })
    expect(message).toBe(`"sessions" must be a list of texts, not ${what}.`)
  })
})

describe('numbers, switches and objects are never guessed from text', () => {
  test.each([
    [
      'list_sessions',
      { limit: '5' },
      '"limit" must be a whole number from 1 to 100, not the text "5"; send it without quotes.',
    ],
    ['list_sessions', { limit: 0 }, '"limit" must be a whole number from 1 to 100, not the number 0.'],
    ['read_inbox', { offset: 1.5 }, '"offset" must be a whole number of at least 0, not the number 1.5.'],
    [
      'read_inbox',
      { limit: Number.POSITIVE_INFINITY },
      '"limit" must be a whole number of at least 1, not the number Infinity.',
    ],
    ['read_inbox', { peek: 'true' }, '"peek" must be true or false, not the text "true"; send it without quotes.'],
    ['update_session', { metadata: '{"a":1}' }, '"metadata" must be an object, not text; send a real JSON object.'],
    ['update_session', { metadata: ['a'] }, '"metadata" must be an object, not a list.'],
    ['query_session', { session: 7 }, '"session" must be text, not the number 7.'],
    ['query_session', { session: ['b'] }, '"session" must be text, not a list.'],
  ])('%s %j', async (name, args, sentence) => {
    expect((await refused(name, args)).message).toBe(sentence)
  })
})

test('a wrong choice is refused with the choices there are', async () => {
  const { message } = await refused('send_message', { to: 'b', content: 'x', activate: 'sometimes' })
  expect(message).toBe('"activate" must be one of auto, always, never, not the text "sometimes".')
})

test('update_session{status: completed} is sent to complete_session', async () => {
  const { message } = await refused('update_session', { status: 'completed' })
  expect(message).toBe(
    '"status" must be one of active, paused, blocked, not the text "completed". To close the session, call complete_session with this status.',
  )
})

test('all problems of one call are told at once, and nothing is done', async () => {
  const bus = fakeBus()
  const { message, hint } = await refused('send_message', { content: 5, priority: 'urgent', extra: 1 }, bus)
  expect(message.match(/"(content|priority|extra)"/g)).toEqual(['"content"', '"priority"', '"extra"'])
  expect(hint).toBe('Call send_message again with these corrected; nothing was changed.')
  expect(bus.calls).toEqual([])
})

test.each([[[]], ['text'], [7], [true]])('arguments that are no object are refused: %j', async (args) => {
  expect((await refused('list_sessions', args)).message).toMatch(/^The arguments must be an object, not /)
})

describe('C148: names every object has are ordinary text', () => {
  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'prototype'])(
    'a parameter called %s is unknown',
    async (key) => {
      const { message } = await refused('list_sessions', JSON.parse(`{${JSON.stringify(key)}: {"limit": 1}}`))
      expect(message).toMatch(new RegExp(`^"${key}" is not a parameter of list_sessions`))
    },
  )

  test.each(['constructor', '__proto__', 'toString'])(
    '%s as a value is refused or passed on like any text',
    async (text) => {
      const bus = fakeBus()
      await call('query_session', { session: text }, bus)
      expect(bus.inputs('query')).toEqual([text])
      expect((await refused('update_session', { status: text })).message).toMatch(/^"status" must be one of active/)
      expect((await refused(text, {})).message).toMatch(/^There is no tool/)
    },
  )

  test('such a key inside metadata reaches the bus as it was sent', async () => {
    const bus = fakeBus()
    const sent = '{"metadata":{"__proto__":{"x":1},"constructor":{"__proto__":2}}}'
    await call('update_session', JSON.parse(sent), bus)
    expect(JSON.stringify(bus.inputs('update')[0])).toBe(sent)
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

test('a value of eleven million bytes is refused by its own sentence, not repeated', async () => {
  const { message } = await refused('list_sessions', { status: 'x'.repeat(11_000_000) })
  expect(message.length).toBeLessThan(300)
})
