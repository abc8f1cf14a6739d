/** A hook whose work does not end. */

import { runHook } from '../../hooks/run.ts'

runHook({
  host: 'slow',
  answer: () => new Promise(() => setInterval(() => undefined, 1_000)),
})
