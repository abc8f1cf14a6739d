/** Which Node this needs. */

/** Also in package.json `engines`. */
const OLDEST = { major: 20, minor: 19 } as const

/** What is wrong with a version of Node, in a sentence, and what to do; undefined for one that is new enough. */
export function tooOld(version: string): { readonly text: string; readonly fix: string } | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined
  return {
    text: `Node ${version} is older than ${OLDEST.major}.${OLDEST.minor}.`,
    fix: 'Install a newer Node, and let the client start the server with it.',
  }
}
