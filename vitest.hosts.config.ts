import { defineConfig } from 'vitest/config'
import { proofsReporter } from './test/e2e/lab/proofs-reporter.ts'
import { retriesReporter } from './test/e2e/lab/retries-reporter.ts'

/** Real hosts: installed by scripts/hosts.mjs, one test file at a time. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['test/build-once.ts'],
    fileParallelism: false,
    reporters: ['default', retriesReporter, proofsReporter],
    // The evidence of each step is printed as it happens, one line per tool call.
    disableConsoleIntercept: true,
    // Nets for what hangs. What a test waits for has its own patience, in lab/until.ts; a slow machine meets neither.
    testTimeout: 900_000,
    hookTimeout: 300_000,
    // Other people's terminal programs: one more try, and the reporter says of whom it was needed.
    retry: 1,
    // A host that no longer works fails all of its tests, each after minutes: the first of them tell enough.
    bail: 5,
  },
})
