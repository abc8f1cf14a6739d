/** A hook that cannot even begin, as where Node is too old for what we use. */

import { runHook } from '../../hooks/run.ts'

runHook({
  host: 'broken',
  doors() {
    throw new ReferenceError('crypto is not defined')
  },
  answer: async () => undefined,
})
