import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COMMAND_NAMES, loadCommand } from '../../src/cli/commands.ts'
import { EXIT, EXIT_MEANINGS, exitOf } from '../../src/cli/exit.ts'
import { commandHelp, overallHelp } from '../../src/cli/help.ts'
import { kebab, type Option } from '../../src/cli/options.ts'
import type { View } from '../../src/cli/output.ts'
import { createPaint } from '../../src/cli/paint.ts'
import { parseArguments } from '../../src/cli/parse.ts'
import { widthOf } from '../../src/cli/width.ts'
import { SETTING_NAMES, SETTINGS } from '../../src/config.ts'

const view = (columns: number): View => ({ columns, paint: createPaint(false), nowMs: 0, userHome: '/home/ada' })

describe('help', () => {
  it('lists every command, setting and exit code', async () => {
    expect((await overallHelp('1.2.3')).text(view(100))).toMatchSnapshot()
  })

  it.each(COMMAND_NAMES)('explains %s', async (name) => {
    expect(commandHelp(await loadCommand(name)).text(view(100))).toMatchSnapshot()
  })

  it.each(COMMAND_NAMES)('of %s is complete and true', async (name) => {
    const command = await loadCommand(name)
    expect(command.name).toBe(name)
    expect(command.summary).toMatch(/^[a-z].*[^.]$/)
    expect(command.description.length).toBeGreaterThan(0)
    expect(command.examples.length).toBeGreaterThan(0)
    for (const arg of Object.values(command.args)) expect(arg.help).toMatch(/^\S.*[^.]$/)
    for (const { line } of command.examples) {
      const typed = line.slice(line.lastIndexOf('session-mcp')).split(' && ')[0] ?? ''
      if (typed === 'session-mcp') continue
      // An example that the parser refuses would be a lie.
      const words = (typed.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
      if (words[1] !== name) throw new Error(`an example of ${name} shows ${words[1]}`)
      expect(() => parseArguments(name, command.args, words.slice(2))).not.toThrow()
    }
  })

  it('fits a narrow terminal but for what is to be copied', async () => {
    const examples = (await Promise.all(COMMAND_NAMES.map(loadCommand))).flatMap(({ examples: all }) =>
      all.map(({ line }) => line),
    )
    for (const name of COMMAND_NAMES) {
      for (const line of commandHelp(await loadCommand(name))
        .text(view(60))
        .split('\n')) {
        if (!examples.includes(line.trim())) expect(widthOf(line), line).toBeLessThanOrEqual(60)
      }
    }
  })

  it('names no setting that the README leaves out', () => {
    const readme = readFileSync('README.md', 'utf8').split('\n')
    for (const name of SETTING_NAMES) {
      const option: Option = SETTINGS[name]
      const line = readme.find((each) => each.startsWith('|') && each.includes(`\`--${kebab(name)}\``))
      expect(line, name).toBeDefined()
      if ('default' in option) expect(line, name).toContain(`\`${option.default}\``)
    }
  })
})

describe('exit codes', () => {
  it('are few and each has a meaning', () => {
    expect(EXIT).toEqual({ ok: 0, refused: 1, usage: 2, ranOut: 3, interrupted: 130 })
    expect(Object.keys(EXIT_MEANINGS)).toEqual(Object.keys(EXIT))
  })

  it('tell wrong usage from a refusal', () => {
    expect([exitOf('BAD_INPUT'), exitOf('BAD_TTL'), exitOf('SESSION_NOT_FOUND'), exitOf('INTERNAL')]).toEqual([
      2, 2, 1, 1,
    ])
  })
})
