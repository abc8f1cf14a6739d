/** A command is data plus `run`; what it is given to work with is the Context. */

import type { Config } from '../config.ts'
import type { OpenedBus } from '../open.ts'
import type { ExitCode, ExitName } from './exit.ts'
import type { Args, Value, ValuesOf } from './options.ts'
import type { Output } from './output.ts'
import type { StdinText } from './text-input.ts'
import type { Shell } from './who.ts'

export interface Context {
  readonly config: Config
  readonly version: string
  readonly out: Output
  readonly stdin: StdinText
  /** Aborted by the first Ctrl-C. Asking for it takes Ctrl-C over: the command must then end on its own. */
  interrupted(): AbortSignal
  /** The bus, opened on first use and closed when the command is over. */
  open(): Promise<OpenedBus>
  /** Whose shell this is. */
  shell(): Promise<Shell>
}

export interface Example {
  readonly line: string
  readonly does: string
}

interface Described {
  readonly name: string
  /** One line for the table of commands; starts lower case, no full stop. */
  readonly summary: string
  /** What it does, in whole sentences; a paragraph per entry. */
  readonly description: readonly string[]
  readonly examples: readonly Example[]
  /** The exit codes it may have besides 0, 1 and 2. */
  readonly exits?: readonly ExitName[]
  /** It tells the warnings of the configuration itself; for all others they go to stderr first. */
  readonly tellsWarnings?: true
  /** Its stdout is a protocol or a screen, so there is no --json. */
  readonly hasNoJson?: true
}

export interface Command extends Described {
  readonly args: Args
  readonly run: (context: Context, values: Readonly<Record<string, Value>>) => Promise<ExitCode>
}

/** Only infers types: `run` gets one value per argument. */
export function defineCommand<const A extends Args>(
  command: Described & { readonly args: A; run(context: Context, values: ValuesOf<A>): Promise<ExitCode> },
): Command {
  return { ...command, run: (context, values) => command.run(context, values as ValuesOf<A>) }
}
