/** Which host a client is, by the name it gives itself. */

import { generic } from './generic/host.ts'
import type { Environment, Host } from './host.ts'
import { HOSTS } from './table.ts'

/**
 * The host whose known name appears in `clientName` as whole words; the longest such name wins, so `cursor-vscode` is
 * Cursor and `grooming-bot` is nobody.
 */
export function detectHost(clientName: string | undefined): Host {
  const words = wordsOf(clientName ?? '')
  let found = generic
  let length = 0
  for (const host of HOSTS) {
    for (const name of host.clientNames) {
      const wanted = wordsOf(name)
      if (wanted.length > length && contains(words, wanted)) {
        found = host
        length = wanted.length
      }
    }
  }
  return found
}

/** A sign that a shell was started for the model of a host. */
export interface ShellMark {
  readonly kind: string
  /** How a person would call that host. */
  readonly by: string
  readonly variable: string
  /** The host's id of the conversation. */
  readonly hostKey?: string
}

/** One for each host that has left its variables here; those of a host around another one may be among them. */
export function marksInShell(env: Environment): readonly ShellMark[] {
  return HOSTS.flatMap(({ kind, envShell, shellMarks = [] }) => {
    const variable = shellMarks.find((name) => env[name])
    const hostKey = envShell === undefined ? undefined : env[envShell]
    return variable === undefined
      ? []
      : [{ kind, by: kind === generic.kind ? 'an AI agent' : kind, variable, ...(hostKey && { hostKey }) }]
  })
}

function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function contains(words: readonly string[], wanted: readonly string[]): boolean {
  return words.some((_, start) => wanted.every((word, i) => words[start + i] === word))
}
