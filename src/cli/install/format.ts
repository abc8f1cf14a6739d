/** How a kind of settings file is read, and edited by place: every byte that is not ours stays. */

import type { Json, JsonPath, WiredFile } from '../../hosts/wiring.ts'

/** What an install changed around its own entries, for taking it back in a file that changed since. */
export interface Traces {
  /** Objects and lists it made: removed again once they are empty. */
  readonly made: readonly JsonPath[]
  /** What stood in the place of a member of ours, as text. */
  readonly replaced: readonly { readonly at: JsonPath; readonly text: string }[]
}

/** What is wrong with a file that we are to write to; `line` counts from 1. */
export class Unfit extends Error {
  readonly line: number
  /** What to do about it, where the host itself has nothing against it. */
  readonly hint: string | undefined

  constructor(line: number, what: string, hint?: string) {
    super(what)
    this.line = line
    this.hint = hint
  }
}

export interface Content {
  /** Undefined for a file that says nothing. */
  readonly root: Json | undefined
  /** The first thing that a host which reads the strict form only does not read; `line` counts from 1. */
  readonly extra: { readonly line: number; readonly what: string } | undefined
}

export interface Format {
  /** @throws Unfit for what is malformed. */
  parse(text: string): Content
  /** @throws Unfit for what is malformed, or has another shape than the host reads. */
  read(text: string, file: WiredFile): Content
  /** The text with our entries as they must be; itself where they are. @throws Unfit */
  putIn(text: string, file: WiredFile): string
  /** The text without our entries. What made room for them goes too, if `traces` do not say that it was there before. */
  takeOut(text: string, file: WiredFile, traces: Traces | undefined): string
  /** What must be known to take our entries out of `next` one day, when it is no longer the text that was written. */
  tracesOf(base: string, next: string, file: WiredFile): Traces
}
