/**
 * Which of the sessions of this process were made for a record of the bus, by the token that binds the two. One for the whole
 * process: OpenCode loads the plugin once per folder, and a session that is opened in another folder shows itself there.
 */

export interface Openings {
  /** What `make` says was made, while it runs, has the token: whoever asks meanwhile is answered when that is known. */
  make<T>(token: string | undefined, make: (made: (id: string) => void) => Promise<T>): Promise<T>
  /** @param isNew it begins now: the first one that does is what the process was started for. */
  tokenOf(id: string, isNew: boolean): Promise<string | undefined>
}

/** @param inherited the token the process was started with. What is started from here inherits it, too, and is not meant. */
export function createOpenings(inherited: string | undefined): Openings {
  const tokens = new Map<string, string>()
  const making = new Set<Promise<void>>()
  let first = inherited

  return {
    async make(token, make) {
      let isKnown: () => void = () => {}
      const known = new Promise<void>((resolve) => {
        isKnown = resolve
      })
      making.add(known)
      try {
        return await make((id) => {
          if (token !== undefined) tokens.set(id, token)
          isKnown()
        })
      } finally {
        isKnown()
        making.delete(known)
      }
    },
    async tokenOf(id, isNew) {
      await Promise.all(making)
      const token = tokens.get(id)
      if (token !== undefined || !isNew || first === undefined) return token
      tokens.set(id, first)
      first = undefined
      return tokens.get(id)
    },
  }
}
