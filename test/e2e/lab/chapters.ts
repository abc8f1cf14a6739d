/** A script in chapters: each begins with the first request it waits for, and is played from there to its end. */
import type { Script, Step } from './conversation.ts'
import type { ModelRequest } from './dialect.ts'

export interface Chapter {
  begins(request: ModelRequest): boolean
  readonly steps: readonly Step[]
}

/** Each chapter once, in any order; before, between and after them the turn ends at once. */
export function inChapters(chapters: readonly Chapter[]): Script {
  const left = new Set(chapters)
  let current: { readonly steps: readonly Step[]; readonly from: number } = { steps: [], from: 0 }
  return (request) => {
    const next = [...left].find((chapter) => chapter.begins(request))
    if (next !== undefined) {
      left.delete(next)
      current = { steps: next.steps, from: request.turn }
    }
    return current.steps[request.turn - current.from] ?? { text: `end ${request.turn}` }
  }
}
