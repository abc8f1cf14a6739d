/** One thing doctor looked at, and what to do about it. */

export interface Check {
  readonly area: 'node' | 'home' | 'disk' | 'events' | 'sessions' | 'mail' | 'hosts'
  /** `warn` works, but not as well as it could; `fail` does not work. */
  readonly level: 'ok' | 'warn' | 'fail'
  /** What is true, in a sentence. */
  readonly text: string
  /** What to do, in a sentence; always there unless all is well. */
  readonly fix?: string
}

export function ok(area: Check['area'], text: string): Check {
  return { area, level: 'ok', text }
}

export function warn(area: Check['area'], text: string, fix: string): Check {
  return { area, level: 'warn', text, fix }
}

export function fail(area: Check['area'], text: string, fix: string): Check {
  return { area, level: 'fail', text, fix }
}
