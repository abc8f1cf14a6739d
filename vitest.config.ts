import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**'],
    globalSetup: ['test/build-once.ts'],
    // Many tests wait for processes: one worker per processor, where the default leaves one of two idle. No more than
    // eight: each has a system full of servers, and Linux gives one user 128 inotify instances for all of them.
    maxWorkers: Math.min(availableParallelism(), 8),
    // Nets for what hangs, and no measure of speed: a machine five times slower than a slow one stays far below.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
