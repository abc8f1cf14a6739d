import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig, SETTING_NAMES, variableOf, type World } from '../src/config.ts'
import { BusError } from '../src/core/errors.ts'

const world = (env: World['env'] = {}): World => ({ env, userHome: '/home/ada', cwd: '/srv' })

function refusalOf(run: () => unknown): BusError {
  try {
    run()
  } catch (fault) {
    if (fault instanceof BusError) return fault
    throw fault
  }
  throw new Error('it was accepted')
}

describe('readConfig', () => {
  it('has a default for everything a machine without settings needs', () => {
    const config = readConfig({}, world())
    expect(config).toMatchObject({
      home: '/home/ada/.session-mcp',
      defaultTtl: '4h',
      messageTtl: '7d',
      toolsets: ['coordination', 'tabs'],
      durability: 'power',
      inboxLimit: 10_000,
      logLevel: 'warn',
      allowForeignHome: false,
      warnings: [],
      color: true,
    })
    expect(config).not.toHaveProperty('sessionId')
    expect(config).not.toHaveProperty('name')
    expect(new Set(Object.values(config.sources))).toEqual(new Set(['default']))
    expect(Object.isFrozen(config)).toBe(true)
  })

  it('prefers a flag to a variable and a variable to the default, and says which it was', () => {
    const env = { SESSION_MCP_DEFAULT_TTL: '30m', SESSION_MCP_MESSAGE_TTL: '1d' }
    const config = readConfig({ defaultTtl: '2h' }, world(env))
    expect(config).toMatchObject({ defaultTtl: '2h', messageTtl: '1d', inboxLimit: 10_000 })
    expect(config.sources).toMatchObject({ defaultTtl: 'flag', messageTtl: 'environment', inboxLimit: 'default' })
  })

  it('counts an empty variable as not set', () => {
    const config = readConfig({}, world({ SESSION_MCP_NAME: '', SESSION_MCP_DEFAULT_TTL: '' }))
    expect(config.defaultTtl).toBe('4h')
    expect(config).not.toHaveProperty('name')
    expect(config.sources.defaultTtl).toBe('default')
  })

  it('spells every variable after its flag', () => {
    expect(SETTING_NAMES.map(variableOf)).toEqual([
      'SESSION_MCP_HOME',
      'SESSION_MCP_DEFAULT_TTL',
      'SESSION_MCP_MESSAGE_TTL',
      'SESSION_MCP_TOOLSETS',
      'SESSION_MCP_SESSION_ID',
      'SESSION_MCP_NAME',
      'SESSION_MCP_DURABILITY',
      'SESSION_MCP_INBOX_LIMIT',
      'SESSION_MCP_LOG_LEVEL',
      'SESSION_MCP_ALLOW_FOREIGN_HOME',
    ])
  })

  it.each([
    ['~', '/home/ada'],
    ['~/bus', '/home/ada/bus'],
    ['bus', '/srv/bus'],
    ['../bus', '/bus'],
    ['/srv/bus/', '/srv/bus'],
    ['/srv/My Drive/서울', '/srv/My Drive/서울'],
  ])('takes the home %j as %j', (given, home) => {
    expect(readConfig({ home: given }, world()).home).toBe(path.resolve(home))
    expect(readConfig({}, world({ SESSION_MCP_HOME: given })).home).toBe(path.resolve(home))
  })

  it.each(['', '  ', '~bob/bus', '$HOME/bus', '$' + '{HOME}/bus', '%USERPROFILE%\\bus', '/', 'a\0b'])(
    'refuses the home %j',
    (home) => {
      const { code, message } = refusalOf(() => readConfig({ home }, world()))
      expect(code).toBe('BAD_PATH')
      expect(message).toContain('--home')
    },
  )

  it('does not make up a home where the system names none', () => {
    expect(refusalOf(() => readConfig({}, { ...world(), userHome: '' })).code).toBe('BAD_PATH')
  })

  it.each([
    [{ defaultTtl: '4 hours' }, 'BAD_TTL', '--default-ttl "4 hours"'],
    [{ messageTtl: '0' }, 'BAD_TTL', '--message-ttl "0"'],
    [{ durability: 'proces' }, 'BAD_INPUT', '--durability'],
    [{ inboxLimit: '0' }, 'BAD_INPUT', '--inbox-limit'],
    [{ inboxLimit: '10k' }, 'BAD_INPUT', '--inbox-limit'],
    [{ logLevel: 'verbose' }, 'BAD_INPUT', '--log-level'],
    [{ toolsets: 'coordination,,tabs' }, 'BAD_INPUT', 'toolsets'],
    [{ toolsets: '' }, 'BAD_INPUT', 'toolsets'],
    [{ sessionId: '' }, 'BAD_INPUT', '--session-id'],
    [{ allowForeignHome: 'maybe' }, 'BAD_INPUT', '--allow-foreign-home'],
  ])('refuses %j', (flags, code, named) => {
    const refused = refusalOf(() => readConfig(flags, world()))
    expect(refused.code).toBe(code)
    expect(refused.message).toContain(named)
    expect(refused.hint).not.toBe('')
  })

  it('names the variable where the wrong value came from one, and the nearest value', () => {
    const refused = refusalOf(() => readConfig({}, world({ SESSION_MCP_DURABILITY: 'proces' })))
    expect(refused.message).toContain('SESSION_MCP_DURABILITY')
    expect(refused.hint).toContain('process')
  })

  it('reads every spelling of a switch', () => {
    const allow = (text: string) => readConfig({}, world({ SESSION_MCP_ALLOW_FOREIGN_HOME: text })).allowForeignHome
    expect(['1', 'true', 'YES', 'on'].map(allow)).toEqual([true, true, true, true])
    expect(['0', 'false', 'No', 'off'].map(allow)).toEqual([false, false, false, false])
  })

  it('takes a list of toolsets without repeats', () => {
    expect(readConfig({ toolsets: 'coordination, tabs,coordination' }, world()).toolsets).toEqual([
      'coordination',
      'tabs',
    ])
  })

  it('warns of variables nobody understands, and goes on', () => {
    const { warnings } = readConfig(
      {},
      world({ SESSION_MCP_TTL: '1h', SESSION_MCP_HMOE: '/x', SESSION_MCP_HOME: '/y' }),
    )
    expect(warnings).toEqual([
      'The variable "SESSION_MCP_HMOE" means nothing to session-mcp; did you mean SESSION_MCP_HOME?',
      'The variable "SESSION_MCP_TTL" means nothing to session-mcp; did you mean SESSION_MCP_DEFAULT_TTL?',
    ])
  })

  it('knows whether colour is wanted', () => {
    expect(readConfig({}, world({ NO_COLOR: '1' })).color).toBe(false)
    expect(readConfig({}, world({ NO_COLOR: '' })).color).toBe(true)
    expect(readConfig({}, world({ TERM: 'dumb' })).color).toBe(false)
  })
})
