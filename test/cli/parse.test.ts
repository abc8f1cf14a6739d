import { describe, expect, it } from 'vitest'
import { planSend } from '../../src/cli/commands/send.ts'
import { COMMAND_NAMES, loadCommand } from '../../src/cli/commands.ts'
import type { Args } from '../../src/cli/options.ts'
import { parseArguments } from '../../src/cli/parse.ts'
import { addresses, projectArgument } from '../../src/cli/project-path.ts'
import { route } from '../../src/cli/route.ts'
import { refuseCutArguments } from '../../src/cli/text-input.ts'
import { BusError } from '../../src/core/errors.ts'

const args = {
  target: { kind: 'positional', required: true, help: '' },
  text: { kind: 'positional', help: '' },
  limit: { kind: 'count', value: 'N', min: 1, max: 10, help: '' },
  replyTo: { kind: 'text', value: 'ID', help: '' },
  to: { kind: 'texts', value: 'ID', help: '' },
  mode: { kind: 'choice', choices: ['fast', 'slow'], help: '' },
  dryRun: { kind: 'flag', help: '' },
} as const satisfies Args

const parse = (...argv: string[]) => parseArguments('probe', args, argv)

function refusalOf(run: () => unknown): string {
  try {
    run()
  } catch (fault) {
    if (fault instanceof BusError) return `${fault.code} ${fault.message} ${fault.hint}`
    throw fault
  }
  return 'accepted'
}

describe('parseArguments', () => {
  it('takes both spellings of a value, repeats, and options on either side of words', () => {
    const { values, settings, isJson } = parse(
      '--to',
      'a',
      'x',
      '--to=b',
      '--limit=3',
      '--json',
      '--home',
      '/h',
      'hello',
      '--reply-to=m',
    )
    expect(values).toEqual({ target: 'x', text: 'hello', to: ['a', 'b'], limit: 3, replyTo: 'm', dryRun: false })
    expect(settings).toEqual({ home: '/h' })
    expect(isJson).toBe(true)
  })

  it('takes everything after -- as words', () => {
    expect(parse('x', '--', '--dry-run').values).toMatchObject({ target: 'x', text: '--dry-run', dryRun: false })
  })

  it('lets the last of two values win, so that an alias can be overridden', () => {
    expect(parse('x', '--limit=3', '--limit=4', '--home=/a', '--home=/b')).toMatchObject({
      values: { limit: 4 },
      settings: { home: '/b' },
    })
  })

  it.each([
    [['x', '--limt=3'], /no option "--limt".*--limit/],
    [['x', '--replyto=m'], /--reply-to/],
    [['x', '-q'], /no option "-q".*Put -- before text/],
    [['x', '-1 is wrong'], /Put -- before text/],
    [['x', '--limit'], /--limit stands without a value/],
    [['x', '--limit', '--dry-run'], /--limit is followed by "--dry-run"/],
    [['x', '--limit=0'], /not a number from 1 to 10/],
    [['x', '--limit=2.5'], /not a number/],
    [['x', '--limit=1e1'], /not a number/],
    [['x', '--mode=fsat'], /not one of fast, slow.*--mode=fast/],
    [['x', '--reply-to='], /--reply-to is empty/],
    [['x', '--dry-run=perhaps'], /neither true nor false/],
    [[], /needs <target>/],
    [[''], /<target> is empty/],
    [['x', ''], /<text> is empty/],
    [['x', 'hello', 'world'], /does not know what to do with "world".*quotes/],
  ])('refuses %j', (argv, why) => {
    const refused = refusalOf(() => parse(...argv))
    expect(refused).toMatch(/^BAD_INPUT /)
    expect(refused).toMatch(why)
  })

  it('explains instead of complaining when help is asked for', () => {
    expect(parse('--help')).toMatchObject({ wantsHelp: true })
    expect(parse('-h')).toMatchObject({ wantsHelp: true })
  })

  it.each(COMMAND_NAMES)('%s refuses an option of a sister (C247)', async (name) => {
    const command = await loadCommand(name)
    expect(refusalOf(() => parseArguments(name, command.args, ['--bodyfile', 'f']))).toMatch(
      /no option "--bodyfile". Nothing was done/,
    )
  })

  it('names --file for --bodyfile', async () => {
    const { args: sendArgs } = await loadCommand('send')
    expect(refusalOf(() => parseArguments('send', sendArgs, ['--to', 'b', '--bodyfile', 'f']))).toContain('--file')
  })
})

describe('route', () => {
  it.each([
    [['list', '--all'], 'list', ['--all']],
    [['--home', '/h', 'list'], 'list', ['--home', '/h']],
    [['--home=/h', '--json', 'list', '--all'], 'list', ['--home=/h', '--json', '--all']],
    [['--home', 'list', 'show', 'x'], 'show', ['--home', 'list', 'x']],
    [['--limit', '5', 'list'], 'list', ['--limit', '5']],
    [['send', 'b', 'list'], 'send', ['b', 'list']],
  ])('%j is %s', (argv, name, rest) => {
    expect(route(argv)).toEqual({ kind: 'command', name, argv: rest })
  })

  it('tells the bare call, help and version apart', () => {
    expect(route([])).toEqual({ kind: 'bare', argv: [] })
    expect(route(['--default-ttl=4h'])).toEqual({ kind: 'bare', argv: ['--default-ttl=4h'] })
    expect(route(['--default-ttl', '4h'])).toEqual({ kind: 'bare', argv: ['--default-ttl', '4h'] })
    expect(route(['--version'])).toEqual({ kind: 'version' })
    expect(route(['--help'])).toMatchObject({ kind: 'help', topic: undefined })
    expect(route(['help', 'send'])).toMatchObject({ kind: 'help', topic: 'send', argv: [] })
    expect(route(['help', '--json'])).toMatchObject({ kind: 'help', topic: undefined, argv: ['--json'] })
  })

  it('refuses a command that does not exist, naming the nearest', () => {
    expect(refusalOf(() => route(['sned', 'b', 'hi']))).toMatch(/no command "sned".*session-mcp send/)
    expect(refusalOf(() => route(['--', 'list']))).toBe('accepted')
  })
})

describe('planSend', () => {
  const plan = (words: Partial<Parameters<typeof planSend>[0]>) =>
    planSend({ recipient: undefined, text: undefined, to: [], file: undefined, replyTo: undefined, ...words })

  it('finds recipient and text wherever they are', () => {
    expect(plan({ recipient: 'b', text: 'hi' })).toEqual({ to: ['b'], argument: 'hi' })
    expect(plan({ recipient: 'b,c' })).toEqual({ to: ['b', 'c'], argument: undefined })
    expect(plan({ to: ['b', 'c,d'], recipient: 'hi' })).toEqual({ to: ['b', 'c', 'd'], argument: 'hi' })
    expect(plan({ replyTo: 'm', recipient: 'hi' })).toEqual({ to: undefined, argument: 'hi' })
    expect(plan({ replyTo: 'm', recipient: 'b', text: 'hi' })).toEqual({ to: ['b'], argument: 'hi' })
    expect(plan({ replyTo: 'm', file: 'f' })).toEqual({ to: undefined, argument: undefined })
    expect(plan({ replyTo: 'm', recipient: 'b', file: 'f' })).toEqual({ to: ['b'], argument: undefined })
  })

  it('refuses what has no recipient or two texts', () => {
    expect(refusalOf(() => plan({}))).toMatch(/no recipient/)
    expect(refusalOf(() => plan({ recipient: ', ,' }))).toMatch(/recipient is empty/)
    expect(refusalOf(() => plan({ to: ['b'], recipient: 'hello', text: 'world' }))).toMatch(/quotes/)
  })
})

describe('addresses', () => {
  it('splits at commas, but not inside the path of a project', () => {
    expect(addresses(['a, b', 'group:x'])).toEqual(['a', 'b', 'group:x'])
    expect(addresses(['a,project:/srv/x,y'])).toEqual(['a', 'project:/srv/x,y'])
  })

  it('reads relative projects against the current directory and leaves foreign spellings alone', () => {
    expect(addresses(['project:.'])).toEqual([`project:${process.cwd()}`])
    expect(projectArgument('~/x')).toBe('~/x')
    expect(projectArgument('C:\\x')).toBe('C:\\x')
    expect(projectArgument('\\\\wsl$\\Ubuntu\\x')).toBe('\\\\wsl$\\Ubuntu\\x')
  })
})

describe('refuseCutArguments', () => {
  it('refuses on Windows what a command shell may have cut (C249), and nothing elsewhere', () => {
    const long = ['node', 'index.js', 'send', 'b', 'x'.repeat(8_185)]
    expect(refusalOf(() => refuseCutArguments(long, 'win32'))).toMatch(/^MESSAGE_TOO_LARGE/)
    expect(refusalOf(() => refuseCutArguments(long, 'linux'))).toBe('accepted')
    expect(refusalOf(() => refuseCutArguments(['node', 'x'.repeat(4_000)], 'win32'))).toBe('accepted')
  })
})
