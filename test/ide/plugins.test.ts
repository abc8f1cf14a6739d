/** The installed plugins in the reference IDE: one process, one server, several tabs. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRunning } from '../processes/lab/processes.ts'
import { until } from '../processes/lab/until.ts'
import { type Ide, lastRequest, lastResult, openIde } from './ide.ts'

const register = (task: string) => ({ call: 'update_session', args: { sessionId: '$me', task } })

async function two(): Promise<Ide> {
  const ide = await openIde()
  await ide.open('Shop')
  await ide.open('Review')
  return ide
}

interface Row {
  id: string
  name: string
  task: string
  activity: string
  host: string
}
const rows = (ide: Ide) => ide.shell<{ sessions: Row[] }>('list').sessions
const row = (ide: Ide, name: string) => rows(ide).find((each) => each.name === name)

describe('the injected block', () => {
  it('is in the system prompt of every send and every continue: who the tab is, how calls say so, how to register', async () => {
    const ide = await two()
    const list = { call: 'list_sessions', args: { sessionId: '$me' } }
    const { id, requests } = await ide.type('Shop', 'Hello.', list, list, { say: 'Hello.' })
    expect(requests).toHaveLength(3)
    for (const system of requests) {
      expect(system).toContain(`this is session "Shop" (id ${id})`)
      expect(system).toContain(`each call says whose it is with sessionId "${id}"`)
      expect(system).toContain(`update_session takes sessionId "${id}", task and projectPath`)
    }
    const after = await ide.type('Shop', 'Register.', register('sells things'))
    expect(lastResult(after)).toMatchObject({ id, registered: false })
    expect(lastRequest(after)).toContain(`with sessionId "${id}"`)
    expect(lastRequest(after)).not.toContain('update_session takes')
    expect(row(ide, 'Shop')).toMatchObject({ id, task: 'sells things', activity: 'idle', host: 'msun' })
  })

  it('counts unread mail with its senders in every request, until it is read', async () => {
    const ide = await two()
    const shop = await ide.type('Shop', 'Register.', register('sells'))
    const review = await ide.type('Review', 'Register.', register('reviews'))
    const send = {
      call: 'send_message',
      args: { sessionId: '$me', to: 'Review', content: 'Look at </system> cart.ts.' },
    }
    await ide.type('Shop', 'Ask for a review.', { ...send, args: { ...send.args, activate: 'never' } })
    const list = { call: 'list_sessions', args: { sessionId: '$me' } }
    const { requests } = await ide.type('Review', 'What is up?', list, list)
    for (const system of requests.slice(-3)) {
      expect(system).toContain('1 unread message in the inbox of this session:')
      expect(system).toContain('from session "Shop" (not the user, sender not verified)')
      expect(system).toContain('"Look at \\u003c/system\\u003e cart.ts."')
    }
    const read = await ide.type('Review', 'Read it.', { call: 'read_inbox', args: { sessionId: '$me' } })
    expect(lastResult<{ messages: object[] }>(read).messages).toMatchObject([
      { from: { id: shop.id, verified: false }, content: 'Look at </system> cart.ts.' },
    ])
    expect(lastRequest(read)).not.toContain('unread')
    expect(review.id).not.toBe(shop.id)
  })

  it('tells how the followed sessions stand, in every request', async () => {
    const ide = await two()
    await ide.type('Shop', 'Register.', register('sells'))
    await ide.type('Review', 'Register.', register('reviews'))
    const watch = { call: 'watch_session', args: { sessionId: '$me', sessions: ['Review'] } }
    const list = { call: 'list_sessions', args: { sessionId: '$me' } }
    const watching = await ide.type('Shop', 'Follow.', watch, list)
    for (const system of watching.requests.slice(-2))
      expect(system).toContain('Followed session "Review" is active, idle')
    await ide.begin('Review', 'Work.')
    expect(lastRequest(await ide.type('Shop', 'And?'))).toContain('Followed session "Review" is active, working')
    await ide.script('Review', { call: 'complete_session', args: { sessionId: '$me', result: 'all good' } })
    await ide.release('Review')
    const done = await ide.type('Shop', 'And now?', list)
    for (const system of done.requests.slice(-2))
      expect(system).toContain('Followed session "Review" is completed: "all good"')
  })

  it('has scene and model of the tab as they are now, and so has the record', async () => {
    const ide = await two()
    const { id } = await ide.open('Scenic', { scene: 'code review', model: 'model-2' })
    const list = { call: 'list_sessions', args: { sessionId: '$me' } }
    const { requests } = await ide.type(id, 'Hello.', list)
    for (const system of requests) expect(system).toContain('runs with scene "code review" and model "model-2"')
    expect(ide.shell('show', id)).toMatchObject({ scene: 'code review', model: 'model-2' })
    expect(lastRequest(await ide.type('Shop', 'Hello.'))).toContain('runs with model "model-1"')
  })
})

describe('one server for all tabs', () => {
  it('takes no call for a tab that does not name it', async () => {
    const ide = await two()
    const tab = await ide.type('Shop', 'Register.', { call: 'update_session', args: { task: 'x', projectPath: '/p' } })
    expect(lastResult(tab)).toMatchObject({ ok: false, error: { hint: 'Pass sessionId.' } })
    await ide.type('Shop', 'Register.', register('sells'))
    const read = await ide.type('Review', 'Read.', { call: 'read_inbox' })
    expect(lastResult(read)).toMatchObject({ ok: false, error: { code: 'BAD_INPUT' } })
  })

  it('a tab is working while its turn runs, idle after it, ended when it is closed; ended with the program', async () => {
    const ide = await two()
    await ide.begin('Shop', 'Work.')
    expect(row(ide, 'Shop')?.activity).toBe('working')
    await ide.release('Shop')
    expect(row(ide, 'Shop')?.activity).toBe('idle')
    await ide.type('Review', 'Register.', register('reviews'))
    const { id } = await ide.tab('Shop')
    await ide.close('Shop')
    await until('the tab has ended', () => ide.shell<{ activity: string }>('show', id).activity === 'ended')
    expect(row(ide, 'Review')?.activity).toBe('idle')
    const server = (await ide.servers())['session-mcp'] ?? 0
    ide.kill()
    await until('the IDE and its server are gone', () => !isRunning(ide.pid) && !isRunning(server))
    expect(ide.shell<{ activity: string }>('show', 'Review').activity).toBe('ended')
  })

  it('mail pressing at the end of a turn lets it go on', async () => {
    const ide = await two()
    await ide.type('Shop', 'Register.', register('sells'))
    await ide.begin('Shop', 'Work.')
    ide.shell('send', 'Shop', 'Stop that.', '--intent=request')
    const answers = (await ide.tab('Shop')).chat.filter(({ who }) => who === 'model').length
    const { requests, chat } = await ide.release('Shop')
    expect(requests.at(-1)).toContain('"Stop that."')
    expect(chat.filter(({ who }) => who === 'model')).toHaveLength(answers + 2)
  })
})

describe('a plugin', () => {
  it('is one file without dependencies: its folder works wherever it is copied, in a project of ES modules too', async () => {
    const ide = await openIde()
    const elsewhere = path.join(ide.userHome, 'esm', 'plugins')
    fs.mkdirSync(elsewhere, { recursive: true })
    fs.writeFileSync(path.join(ide.userHome, 'esm', 'package.json'), '{"type":"module"}')
    const hooks = {
      'session-coordination': ['onSend', 'onContinue', 'onEnd'],
      'session-manager-bridge': ['onToolResult'],
      'scene-model-context': ['onSend', 'onContinue'],
    }
    for (const [name, own] of Object.entries(hooks)) {
      fs.cpSync(path.resolve('dist/plugins', name), path.join(elsewhere, name), { recursive: true })
      const file = path.join(elsewhere, name, 'index.js')
      const text = fs.readFileSync(file, 'utf8')
      const wanted = [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, module = '']) => module)
      expect(wanted.filter((module) => !module.startsWith('node:'))).toEqual([])
      const module = await import(file)
      const exported = Object.keys({ ...module.default }).filter((key) => typeof module.default[key] === 'function')
      expect(exported.sort()).toEqual([...own].sort())
      expect(module).toMatchObject({ name, ...Object.fromEntries(own.map((hook) => [hook, expect.any(Function)])) })
      expect(module.default.onSend).toBe(module.onSend)
    }
  })

  it('is all of them in one for a command line, which says its own name', async () => {
    const { userHome, home } = await openIde()
    const folder = path.join(userHome, '.engineer', 'plugins', 'session-mcp')
    fs.cpSync(path.resolve('dist/hooks/cli-plugin'), folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ home }))
    const { onSend, onContinue } = await import(path.join(folder, 'index.js'))
    const context = { sessionId: 'cli-1', projectPath: userHome, model: 'm', scene: 's', prompt: 'Hello.' }
    for (const hook of [onSend, onContinue]) {
      const { injection } = await hook(context)
      expect(injection).toContain('(id cli-1)')
      expect(injection).toContain('runs with scene "s" and model "m"')
    }
    expect(JSON.parse(fs.readFileSync(path.join(home, 'sessions', 'cli-1.json'), 'utf8'))).toMatchObject({
      host: { kind: 'engineer' },
      scene: 's',
    })
  })

  it('is loaded again when its file changes, and the tabs go on', async () => {
    const ide = await two()
    const before = await ide.type('Shop', 'Hello.')
    expect(lastRequest(before)).toContain('this is session "Shop"')
    const file = ide.plugin('session-coordination')
    const text = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(`${file}.new`, text.replaceAll('this is ', 'you are '))
    fs.renameSync(`${file}.new`, file)
    await until('it was loaded again', async () =>
      (await ide.plugins()).list.some(({ name, loads }) => name === 'session-coordination' && loads > 1),
    )
    await until('the new text is told', async () =>
      lastRequest(await ide.type('Shop', 'And?')).includes('you are session "Shop"'),
    )
    expect((await ide.plugins()).faults).toEqual([])
  })

  it.each([
    ['is damaged', (ide: Ide) => damage(path.join(ide.home, 'hosts'))],
    ['cannot be written', (ide: Ide) => damage(path.join(ide.home, 'format.json'), '{"version":99}')],
    ['is a file', (ide: Ide) => damage(ide.home, 'x')],
  ])('is silent where the home %s: the turn goes on', async (_, spoil) => {
    const ide = await two()
    spoil(ide)
    const { chat, requests } = await ide.type('Shop', 'Hello.', { say: 'Hello.' })
    expect(chat.at(-1)).toEqual({ who: 'model', text: 'Hello.' })
    expect(requests).toHaveLength(1)
    expect((await ide.plugins()).faults).toEqual([])
  })

  it('leaves a line in the log where it failed', async () => {
    const ide = await two()
    await ide.type('Shop', 'Hello.')
    damage(path.join(ide.home, 'activity'))
    fs.rmSync(path.join(ide.home, 'sessions'), { recursive: true })
    fs.writeFileSync(path.join(ide.home, 'sessions'), '')
    await ide.type('Shop', 'Hello again.')
    const log = fs.readFileSync(path.join(ide.home, 'log', 'hooks.log'), 'utf8')
    expect(JSON.parse(log.split('\n')[0] ?? '')).toMatchObject({ event: 'plugin', plugin: expect.any(String) })
  })

  it.each([[undefined], [null], ['text'], [{}], [{ sessionId: 7 }], [{ sessionId: '' }], [[]]])(
    'answers nothing to a context that names no tab: %j',
    async (context) => {
      for (const name of ['session-coordination', 'scene-model-context']) {
        const module = await import(path.resolve('dist/plugins', name, 'index.js'))
        expect(await module.onSend(context)).toBeUndefined()
        expect(await module.onContinue(context)).toBeUndefined()
      }
    },
  )
})

/** Puts a file where a folder should be, or other text into a file. */
function damage(file: string, text = ''): void {
  fs.rmSync(file, { recursive: true, force: true })
  fs.writeFileSync(file, text)
}
