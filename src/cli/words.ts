/** Numbers, ages and sentences as people read them. */

/** `1 session`, `2 sessions`, `no sessions`. */
export function count(n: number, noun: string, nouns = `${noun}s`): string {
  return `${n === 0 ? 'no' : n} ${n === 1 ? noun : nouns}`
}

/** `12s`, `3m`, `2h`, `4d`: one unit, rounded down. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** `3m ago`, `in 2h`, `now`; a time that cannot be read is shown as it is. */
export function when(iso: string, nowMs: number): string {
  const t = Date.parse(iso)
  if (Number.isNaN(t)) return iso
  if (Math.abs(nowMs - t) < 1000) return 'now'
  return t < nowMs ? `${duration(nowMs - t)} ago` : `in ${duration(t - nowMs)}`
}

/** `a`, `a and b`, `a, b and c`. */
export function listing(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

/** `256 B`, `1.5 KiB`, `40 KiB`, `12 GiB`. */
export function bytes(n: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let unit = 0
  let value = n
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** `3m ago`, or `now` for what is younger than a second. */
export function ago(ageSeconds: number): string {
  return ageSeconds < 1 ? 'now' : `${duration(ageSeconds * 1000)} ago`
}

/** A path below the person's home as `~/...`. */
export function shortPath(path: string, userHome: string): string {
  if (path === userHome) return '~'
  const next = path[userHome.length]
  return userHome.length > 1 && path.startsWith(userHome) && (next === '/' || next === '\\')
    ? `~${path.slice(userHome.length)}`
    : path
}

/**
 * Names and paths as they are typed in a shell: in quotes where they hold a space. Others chose them, and a person pastes
 * the line: what a shell would act on even in double quotes stands in single ones, which Windows does not know.
 */
export function typed(word: string): string {
  if (/^[\p{L}\p{N}_.:/@~-]+$/u.test(word)) return word
  return /["$`!]|\\$/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`
}
