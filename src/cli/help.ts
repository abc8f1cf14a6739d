/** Help, made from the commands' own data: what it does first, then how it is written. */

import { SETTING_NAMES, SETTINGS } from '../config.ts'
import { COMMAND_NAMES, loadCommand } from './commands.ts'
import type { Command } from './define.ts'
import { EXIT, EXIT_MEANINGS, type ExitName } from './exit.ts'
import { type Pair, pairLines } from './facts.ts'
import { kebab, type Option, type Positional } from './options.ts'
import type { View } from './output.ts'
import { COMMON } from './parse.ts'
import { wrap } from './width.ts'

export interface Help {
  readonly data: object
  text(view: View): string
}

/** Lines longer than this tire the eye, however wide the terminal. */
const READABLE = 100

export function commandHelp(command: Command): Help {
  const usage = usageLine(command)
  const words = entries(command, 'positional')
  const options = entries(command, 'option')
  const exits = exitRows(command)
  return {
    data: {
      name: command.name,
      usage,
      summary: command.summary,
      description: command.description,
      arguments: command.args,
      examples: command.examples,
      exitCodes: Object.fromEntries(exits),
    },
    text: (view) =>
      [
        ...paragraph(`Usage: ${usage}`, view),
        ...command.description.flatMap((text) => ['', ...paragraph(text, view)]),
        ...section('Arguments', words, view),
        ...section('Options', [...options, ...commonRows(command)], view),
        ...section(
          'Examples',
          command.examples.map(({ line, does }): Pair => [line, does]),
          view,
        ),
        ...section('Exit codes', exits, view),
        '',
        ...paragraph('Settings such as --home may stand anywhere; session-mcp help lists them.', view),
      ].join('\n'),
  }
}

export async function overallHelp(version: string): Promise<Help> {
  const commands = await Promise.all(COMMAND_NAMES.map(loadCommand))
  return {
    data: {
      version,
      commands: Object.fromEntries(commands.map((command) => [command.name, command.summary])),
      settings: SETTINGS,
      exitCodes: Object.fromEntries(
        Object.keys(EXIT).map((name) => [EXIT[name as ExitName], EXIT_MEANINGS[name as ExitName]]),
      ),
    },
    text: (view) =>
      [
        ...paragraph(`session-mcp ${version}: one bus for every AI coding session on this machine.`, view),
        '',
        ...paragraph('Usage: session-mcp [command] [options]', view),
        ...paragraph('Without a command: the overview in a terminal, the MCP server when a client starts it.', view),
        ...section(
          'Commands',
          commands.map(({ name, summary }): Pair => [name, summary]),
          view,
        ),
        ...section('Options of every command', Object.entries(COMMON).map(optionRow), view),
        ...section(
          'Settings (each also as a variable, for example SESSION_MCP_HOME)',
          SETTING_NAMES.map((name) => optionRow([name, SETTINGS[name]])),
          view,
        ),
        ...section(
          'Exit codes',
          (Object.keys(EXIT) as ExitName[]).map((name): Pair => [String(EXIT[name]), EXIT_MEANINGS[name]]),
          view,
        ),
        '',
        ...paragraph('session-mcp help <command> explains one command with examples.', view),
      ].join('\n'),
  }
}

function entries(command: Command, kind: 'positional' | 'option'): Pair[] {
  return Object.entries(command.args)
    .filter(([, arg]) => (arg.kind === 'positional') === (kind === 'positional'))
    .map((entry) =>
      entry[1].kind === 'positional' ? [`<${kebab(entry[0])}>`, entry[1].help] : optionRow(entry as [string, Option]),
    )
}

function optionRow([name, option]: readonly [string, Option]): Pair {
  const choices = option.kind === 'choice' && !isShort(option.choices) ? `: ${option.choices.join(', ')}` : ''
  const isDefault = 'default' in option && option.default !== undefined
  return [flagOf(name, option), `${option.help}${choices}${isDefault ? ` (default ${option.default})` : ''}`]
}

/** `--durability=power|process`; a longer choice is `--log-level=LEVEL`, with the words in the explanation. */
function flagOf(name: string, option: Option): string {
  const flag = `--${kebab(name)}`
  if (option.kind === 'flag') return flag
  if (option.kind !== 'choice') return `${flag}=${option.value}`
  return `${flag}=${isShort(option.choices) ? option.choices.join('|') : kebab(name).split('-').at(-1)?.toUpperCase()}`
}

function isShort(choices: readonly string[]): boolean {
  return choices.join('|').length <= 24
}

function commonRows({ hasNoJson }: Command): Pair[] {
  return Object.entries(COMMON)
    .filter(([name]) => !(hasNoJson && name === 'json'))
    .map(optionRow)
}

function usageLine(command: Command): string {
  const words = Object.entries(command.args)
    .filter((entry): entry is [string, Positional] => entry[1].kind === 'positional')
    .map(([name, { required, rest }]) => {
      const word = `${kebab(name)}${rest ? '...' : ''}`
      return required ? `<${word}>` : `[${word}]`
    })
  return ['session-mcp', command.name, ...words, '[options]'].join(' ')
}

function exitRows(command: Command): Pair[] {
  const names: readonly ExitName[] = ['ok', 'refused', 'usage', ...(command.exits ?? [])]
  return names.map((name) => [String(EXIT[name]), EXIT_MEANINGS[name]])
}

function section(title: string, rows: readonly Pair[], view: View): string[] {
  if (rows.length === 0) return []
  const narrow = { ...view, columns: Math.min(view.columns, READABLE) - 2 }
  return ['', view.paint.strong(title), ...pairLines(rows, narrow).map((line) => `  ${line}`)]
}

/** Wrapped to the terminal, but never wider than is good to read; lines after the first are moved in by `indent`. */
function paragraph(text: string, view: View, indent = 0): string[] {
  const [first = '', ...more] = wrap(text, Math.min(view.columns, READABLE) - indent)
  return [first, ...more.map((line) => ' '.repeat(indent) + line)]
}
