/** Which tmux server, and which pane of it: from the environment of this very server, else from a session's record. */

import fs from 'node:fs'
import { type Environment, terminalIn } from '../host.ts'
import { programIn } from '../launch.ts'
import { type Tmux, tmuxAt } from './run.ts'

export interface Place {
  readonly pane: string
  readonly socket: string
  readonly tmux: Tmux
}

/** @returns the reason where there is no such place. */
export function placeAt(
  env: Environment,
  { pane, terminal }: { readonly pane?: string; readonly terminal?: string },
): Place | string {
  if (pane === undefined || terminal === undefined) return 'it is not known to run in tmux'
  if (!/^%\d{1,9}$/.test(pane)) return 'what its record calls a pane is none'
  const why = notOurs(terminal)
  if (why !== undefined) return why
  const program = programIn(env, 'tmux')
  return program === undefined
    ? 'there is no tmux in the PATH of this server'
    : { pane, socket: terminal, tmux: tmuxAt(program, terminal, env) }
}

/** Where whoever asks sees its own session. */
export function ownPlace(env: Environment, beside: { readonly pane?: string; readonly terminal?: string } = {}) {
  const own = terminalIn(env)
  return placeAt(env, own.pane === undefined ? beside : own)
}

/** What is typed into a stranger's socket is told to a stranger. */
function notOurs(socket: string): string | undefined {
  try {
    const facts = fs.statSync(socket)
    if (!facts.isSocket()) return `${socket} is no socket of tmux`
    return facts.uid === process.getuid?.() ? undefined : `the tmux server at ${socket} belongs to somebody else`
  } catch {
    return `there is no tmux server at ${socket} any more`
  }
}
