import { defineConfig } from 'vitest/config'
import { proofsReporter } from './test/e2e/lab/proofs-reporter.ts'

/** Real hosts: installed by scripts/hosts.mjs, one test file at a time. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['test/build-once.ts'],
    fileParallelism: false,
    reporters: ['default', proofsReporter],
    // The evidence of each step is printed as it happens, one line per tool call.
    disableConsoleIntercept: true,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
