/** What the exit code of every command says. `help` and the README print this table. */

export const EXIT = { ok: 0, refused: 1, usage: 2, ranOut: 3, interrupted: 130 } as const

export type ExitName = keyof typeof EXIT
export type ExitCode = (typeof EXIT)[ExitName]

export const EXIT_MEANINGS: Readonly<Record<ExitName, string>> = {
  ok: 'done; also when a reader such as `head` closed the pipe early',
  refused: 'refused or failed; the reason and what to do are on stderr',
  usage: 'the command line was wrong; nothing was done',
  ranOut: 'the wait ran out before it was over',
  interrupted: 'stopped with Ctrl-C',
}

/** A refusal of what was typed is wrong usage; a refusal of what was asked is not. */
export function exitOf(errorCode: string): ExitCode {
  return errorCode.startsWith('BAD_') ? EXIT.usage : EXIT.refused
}
