/** Project paths as typed in a shell, where they may be relative. */

import path from 'node:path'

/** Relative text against the current directory; all else as it is: the bus reads `~` and the spellings of other systems. */
export function projectArgument(text: string): string {
  const isElsewhere = text.startsWith('~') || /^[A-Za-z]:[\\/]/.test(text) || text.startsWith('\\\\')
  return isElsewhere || path.isAbsolute(text) ? text : path.resolve(text)
}

/** Addresses, one or several in a word: `a,b`, `group:x`. A project takes all that follows it, as a path may hold commas. */
export function addresses(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const parts = word.split(',')
    const at = parts.findIndex((part) => part.trimStart().startsWith('project:'))
    const plain = (at === -1 ? parts : parts.slice(0, at)).map((part) => part.trim()).filter((part) => part !== '')
    if (at === -1) return plain
    const project = parts.slice(at).join(',').trim().slice('project:'.length)
    return [...plain, `project:${projectArgument(project)}`]
  })
}
