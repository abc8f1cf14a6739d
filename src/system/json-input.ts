/** What a host writes to a program it starts for a moment. */

/**
 * The JSON object on stdin. Taken as soon as it is whole, since some hosts leave stdin open.
 * Undefined for empty input and for anything that is no object.
 */
export function readInput(): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { stdin } = process
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    const parsed = (): Readonly<Record<string, unknown>> | undefined => {
      try {
        const raw: unknown = JSON.parse(
          Buffer.concat(chunks)
            .toString('utf8')
            .replace(/^\uFEFF/, ''),
        )
        return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
          ? (raw as Record<string, unknown>)
          : undefined
      } catch {
        return undefined // not whole yet, or not JSON
      }
    }
    stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      const raw = /\}\s*$/.test(chunk.toString('latin1').slice(-64)) ? parsed() : undefined
      if (raw !== undefined) resolve(raw)
    })
    stdin.on('end', () => resolve(parsed()))
    stdin.on('error', () => resolve(undefined))
  })
}
