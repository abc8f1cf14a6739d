/** The IDE set up as the original's own page says: folders copied, the server written into its file. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { homeOf } from '../../hooks/ide-home.ts'
import { makePlace } from '../processes/lab/place.ts'
import { call, manage, performed, send, two } from './driven.ts'
import { lastResult } from './ide.ts'

const HOUR_MS = 3_600_000

describe('plugins copied by hand', () => {
  it.each([[['--default-ttl=4h']], [['--default-ttl=14400']], [[]]])(
    'are on the bus of the server that %j starts; each session has a file, each inbox a folder, and a completed one goes after 4 h',
    async (args) => {
      const ide = await two({ byHand: args })
      const [shop, review] = [(await ide.tab('Shop')).id, (await ide.tab('Review')).id]
      const at = (...names: string[]) => path.join(ide.home, ...names)
      const record = fs.readFileSync(at('sessions', `${review}.json`), 'utf8')
      await send(ide, 'Review', { activate: 'never' })
      expect(fs.readdirSync(at('sessions')).sort()).toEqual([`${shop}.json`, `${review}.json`].sort())
      const mail = fs.readdirSync(at('inboxes', review)).filter((name) => name.endsWith('.json'))
      expect(mail).toEqual([expect.stringMatching(/^msg-.*\.json$/)])
      // A sender changes nothing of what its recipient says of itself.
      expect(fs.readFileSync(at('sessions', `${review}.json`), 'utf8')).toBe(record)
      await manage(ide, 'pin')
      expect((await performed(ide)).map(({ type }) => type)).toEqual(['pin'])
      const done = lastResult<{ closedAt: string }>(
        await ide.type('Review', 'Finish.', call('complete_session', { result: 'x' })),
      )
      const shown = lastResult<{ expiresAt: string }>(
        await ide.type('Shop', 'Look.', call('query_session', { session: 'Review' })),
      )
      expect(Date.parse(shown.expiresAt) - Date.parse(done.closedAt)).toBe(4 * HOUR_MS)
      // Completed is still listed.
      const listed = lastResult<{ sessions: object[] }>(await ide.type('Shop', 'List.', call('list_sessions')))
      expect(listed.sessions).toContainEqual(expect.objectContaining({ name: 'Review', status: 'completed' }))
    },
  )
})

describe('the home of a plugin', () => {
  const place = (config: unknown, servers: unknown) => {
    const made = makePlace('ide-home')
    const folder = path.join(made.directory, '.msun', 'plugins', 'x')
    fs.mkdirSync(folder, { recursive: true })
    if (config !== undefined) fs.writeFileSync(path.join(folder, 'config.json'), JSON.stringify(config))
    if (servers !== undefined) fs.writeFileSync(path.join(folder, '../../mcp-servers.json'), JSON.stringify(servers))
    return { folder, remove: made.remove }
  }
  const server = (args: unknown, env = {}) => ({ 'session-mcp': { command: 'node', args, env } })
  const own = /[\\/]\.msun[\\/]session-mcp$/
  const shared = /[\\/]\.session-mcp$/

  it.each<[string, unknown, unknown, RegExp]>([
    ['its own config first', { home: '/a' }, server(['x', '--home=/b']), /^\/a$/],
    ['then what the server is told', undefined, server(['x', '--home=/b']), /^\/b$/],
    ['in either form', { home: 7 }, server(['x', '--home', '/b']), /^\/b$/],
    ['in its environment', undefined, server(['x'], { SESSION_MCP_HOME: '/c' }), /^\/c$/],
    ['with the home of the user', undefined, server(['x', '--home=~/bus']), /^\/(?!.*~).*[\\/]bus$/],
    ['of a server that is told nothing', undefined, server(['x', '--default-ttl=4h']), shared],
    ['of a server without arguments', undefined, server(undefined), shared],
    ['without a server of ours', undefined, { other: {} }, own],
    ['without any', undefined, undefined, own],
    ['with files of something else', [], 'text', own],
  ])('%s', (_, config, servers, expected) => {
    const { folder, remove } = place(config, servers)
    vi.stubEnv('SESSION_MCP_HOME', '')
    const elsewhere = makePlace('ide-user')
    vi.stubEnv('HOME', elsewhere.directory)
    try {
      expect(homeOf(folder)).toMatch(expected)
    } finally {
      vi.unstubAllEnvs()
      elsewhere.remove()
      remove()
    }
  })

  it('that a command line in a project loads is that of the server of the IDE, where the project names none', () => {
    const { directory, remove } = makePlace('ide-project')
    const folder = path.join(directory, 'shop', '.engineer', 'plugins', 'session-mcp')
    const write = (at: string, args: readonly string[]) => {
      fs.mkdirSync(at, { recursive: true })
      fs.writeFileSync(path.join(at, 'mcp-servers.json'), JSON.stringify(server(args)))
    }
    fs.mkdirSync(folder, { recursive: true })
    vi.stubEnv('SESSION_MCP_HOME', '')
    vi.stubEnv('HOME', directory)
    try {
      expect(homeOf(folder)).toMatch(own)
      write(path.join(directory, '.msun'), ['index.js', '--default-ttl=4h'])
      expect(homeOf(folder)).toBe(path.join(directory, '.session-mcp'))
      write(path.join(directory, 'shop', '.engineer'), ['index.js', '--home=/bus'])
      expect(homeOf(folder)).toBe('/bus')
    } finally {
      vi.unstubAllEnvs()
      remove()
    }
  })
})
