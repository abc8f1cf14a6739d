/** A command as the one text that hosts hand to a shell, and back into its words. */

const BARE = /^[A-Za-z0-9_@%+=:,./-]+$/
/** One word: quoted and unquoted pieces without a gap. Anything a shell would act on is in none of them. */
const WORD = /^(?:'[^']*'|"[^"$`\\]*"|\\'|[A-Za-z0-9_@%+=:,./~-])+/
const PIECE = /'([^']*)'|"([^"]*)"|\\(')|([^'"\\]+)/g

/** On Windows for a POSIX shell too, which is what hosts prefer there: slashes, and quotes around blanks. */
export function commandLine(words: readonly string[], isWindows: boolean): string {
  if (isWindows) return words.map((word) => quotedTwice(word.replaceAll('\\', '/'))).join(' ')
  return words.map((word) => (BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}

function quotedTwice(word: string): string {
  return BARE.test(word) ? word : `"${word}"`
}

/** Undefined where it is more than one plain command. */
export function wordsOf(command: string): string[] | undefined {
  const words: string[] = []
  for (let rest = command.trim(); rest !== ''; rest = rest.trimStart()) {
    const [raw] = WORD.exec(rest) ?? []
    if (raw === undefined || /^[^\s]/.test(rest.slice(raw.length))) return undefined
    words.push(
      [...raw.matchAll(PIECE)].map((piece) => piece.slice(1).find((text) => text !== undefined) ?? '').join(''),
    )
    rest = rest.slice(raw.length)
  }
  return words
}
