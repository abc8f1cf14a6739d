/** Options as data: what a command or a setting takes, and how its text becomes a value. */

import { BusError } from '../core/errors.ts'
import { quote } from '../core/ids.ts'
import { nearest } from '../core/name.ts'

interface Described {
  /** Starts lower case, no full stop: it stands in a table. */
  readonly help: string
}

export interface Positional extends Described {
  readonly kind: 'positional'
  readonly required?: true
  /** Takes every word that is left; at least one where required. */
  readonly rest?: true
}

export type Option =
  | (Described & { readonly kind: 'flag' })
  | (Described & { readonly kind: 'text'; readonly value: string; readonly default?: string })
  /** May be repeated. */
  | (Described & { readonly kind: 'texts'; readonly value: string })
  | (Described & {
      readonly kind: 'count'
      readonly value: string
      readonly min: number
      readonly max: number
      readonly default?: string
    })
  | (Described & { readonly kind: 'choice'; readonly choices: readonly string[]; readonly default?: string })

export type Args = Readonly<Record<string, Option | Positional>>
export type Value = string | number | boolean | readonly string[] | undefined

type ValueOf<A extends Option | Positional> = A extends { kind: 'flag' }
  ? boolean
  : A extends { kind: 'texts' } | { rest: true }
    ? readonly string[]
    : A extends { kind: 'count' }
      ? number | undefined
      : A extends { kind: 'choice'; choices: readonly (infer Choice)[] }
        ? Choice | undefined
        : A extends { required: true }
          ? string
          : string | undefined

/** What `run` gets: defaults are help text only, the bus applies its own. */
export type ValuesOf<A extends Args> = { readonly [Name in keyof A]: ValueOf<A[Name]> }

/** A refusal of the command line itself. */
export function wrongUsage(message: string, hint: string): BusError {
  return new BusError('BAD_INPUT', message, hint)
}

/** `replyTo` is written `reply-to`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The known spelling nearest to `text`: by edit distance, else one that contains the other (`bodyfile`, `file`). */
export function nearestOf(text: string, known: readonly string[]): string | undefined {
  return nearest(text, known, 1)[0] ?? known.find((k) => k.length > 2 && (text.includes(k) || k.includes(text)))
}

/**
 * The value behind an option's text.
 * @param name as the person wrote it: `--limit` or `SESSION_MCP_INBOX_LIMIT`.
 * @throws BusError BAD_INPUT saying what is accepted.
 */
export function readValue(option: Option, name: string, text: string): string | number | boolean {
  switch (option.kind) {
    case 'flag':
      if (/^(true|1|yes|on)$/i.test(text)) return true
      if (/^(false|0|no|off)$/i.test(text)) return false
      throw wrongUsage(
        `${name} is ${quote(text)}, which is neither true nor false.`,
        `Write ${name} alone, or ${name}=false.`,
      )
    case 'count': {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
      if (value >= option.min && value <= option.max) return value
      throw wrongUsage(
        `${name} is ${quote(text)}, not a number from ${option.min} to ${option.max}.`,
        `Write for example ${name}=${option.default ?? option.min}.`,
      )
    }
    case 'choice': {
      if (option.choices.includes(text)) return text
      const near = nearestOf(text, option.choices)
      throw wrongUsage(
        `${name} is ${quote(text)}, which is not one of ${option.choices.join(', ')}.`,
        `Write for example ${name}=${near ?? option.choices[0]}.`,
      )
    }
    default:
      if (text !== '') return text
      throw wrongUsage(`${name} is empty.`, `Give ${name} a value, or leave it out.`)
  }
}
