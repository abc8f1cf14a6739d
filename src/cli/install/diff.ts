/** Two texts as a unified diff, as `diff -u` and `git diff` write it. */

/** Lines around a change. */
const CONTEXT = 3
/** Above this the changed middle is shown as a whole, not line by line (comparisons). */
const MOST_COMPARISONS = 4_000_000

type Line = readonly [mark: ' ' | '-' | '+', text: string]

/** Empty where the texts are equal; undefined stands for a file that is not there. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const lines = compare(linesOf(before ?? ''), linesOf(after ?? ''))
  const head = [`--- ${before === undefined ? '/dev/null' : path}`, `+++ ${after === undefined ? '/dev/null' : path}`]
  return [...head, ...hunks(lines)].join('\n')
}

/** Each with its line end, so that a change of it is a change. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function compare(a: readonly string[], b: readonly string[]): Line[] {
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a[head] === b[head]) head++
  let tail = 0
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const same = (line: string): Line => [' ', line]
  return [
    ...a.slice(0, head).map(same),
    ...changes(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ]
}

/** By the longest common subsequence. */
function changes(a: readonly string[], b: readonly string[]): Line[] {
  if (a.length * b.length > MOST_COMPARISONS) {
    return [...a.map((line): Line => ['-', line]), ...b.map((line): Line => ['+', line])]
  }
  const width = b.length + 1
  const longest = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [old, fresh] = [a[i], b[j]]
    if (old !== undefined && old === fresh) {
      lines.push([' ', old])
      i++
      j++
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(['-', old])
      i++
    } else if (fresh !== undefined) {
      lines.push(['+', fresh])
      j++
    }
  }
  return lines
}

function hunks(lines: readonly Line[]): string[] {
  const changed = lines.flatMap(([mark], i) => (mark === ' ' ? [] : [i]))
  const ranges: [number, number][] = []
  for (const i of changed) {
    const last = ranges.at(-1)
    if (last !== undefined && i - CONTEXT <= last[1]) last[1] = Math.min(lines.length, i + 1 + CONTEXT)
    else ranges.push([Math.max(0, i - CONTEXT), Math.min(lines.length, i + 1 + CONTEXT)])
  }
  return ranges.flatMap(([from, to]) => {
    const place = (mark: '-' | '+') => {
      const isThere = ([m]: Line) => m === ' ' || m === mark
      const length = lines.slice(from, to).filter(isThere).length
      const start = lines.slice(0, from).filter(isThere).length + (length === 0 ? 0 : 1)
      return `${mark}${start},${length}`
    }
    return [`@@ ${place('-')} ${place('+')} @@`, ...lines.slice(from, to).flatMap(shown)]
  })
}

function shown([mark, line]: Line): string[] {
  if (!line.endsWith('\n')) return [mark + line, '\\ No newline at end of file']
  return [mark + line.replace(/\r?\n$/, '')]
}
