/** Commands of hosts that know no arguments, only a line for a shell. */

/** For `sh`, and for `cmd` on Windows, where neither a path nor an option of ours holds a quote. */
export function shellLine(words: readonly string[], isWindows: boolean): string {
  return words.map((word) => (isWindows ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}

/** The words of a line as {@link shellLine} writes it; undefined for a line in any other form. */
export function wordsOf(line: string): string[] | undefined {
  const word = /\s*(?:"([^"]*)"|((?:'[^']*'|\\')+))(?=\s|$)/y
  const words: string[] = []
  while (word.lastIndex < line.length) {
    const match = word.exec(line)
    if (match === null) return undefined
    const [, double, single = ''] = match
    words.push(double ?? single.replace(/'([^']*)'|\\(')/g, (_, quoted?: string) => quoted ?? "'"))
  }
  return words
}
