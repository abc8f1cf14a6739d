/** What tests have run on real hosts. Written by `npm run proofs` from a run of them, never by hand. */

import type { Proof } from './capability.ts'

export const PROOFS: readonly Proof[] = []
