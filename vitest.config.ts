import os from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**'],
    globalSetup: ['test/build-once.ts'],
    // Many tests wait for processes: one worker per processor, where the default leaves one of two idle. Not more than four:
    // a container may have the processors of its host to look at and two of them to use, and each worker starts a dozen
    // processes, which share the inotify instances of one user.
    maxWorkers: Math.min(os.availableParallelism(), 4),
    // Nets for what hangs. No test ends by one of them when all is well, however slow the machine is.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
