/** Which host a client is, by the name it gives itself. */

import { claudeCode } from './claude-code/host.ts'
import { codex } from './codex/host.ts'
import { copilot } from './copilot/host.ts'
import { cursor } from './cursor/host.ts'
import { engineer } from './engineer/host.ts'
import { gemini } from './gemini/host.ts'
import { generic } from './generic/host.ts'
import type { Environment, Host } from './host.ts'
import { msun } from './msun/host.ts'
import { opencode } from './opencode/host.ts'
import { vscode } from './vscode/host.ts'

export const HOSTS: readonly Host[] = [
  claudeCode,
  codex,
  copilot,
  cursor,
  engineer,
  gemini,
  msun,
  opencode,
  vscode,
  generic,
]

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

/** The session whose model a shell was started for, where its host says so; what is left over from a host around it may be wrong. */
export function sessionInShell(env: Environment): string | undefined {
  for (const { envShell } of HOSTS) {
    const value = envShell === undefined ? undefined : env[envShell]
    if (value) return value
  }
  return undefined
}

function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function contains(words: readonly string[], wanted: readonly string[]): boolean {
  return words.some((_, start) => wanted.every((word, i) => words[start + i] === word))
}
