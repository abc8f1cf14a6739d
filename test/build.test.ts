import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..')
const run = promisify(execFile)

test('programs of dist/ can be started at every moment of a build, and what no build makes any more is gone after it', async () => {
  const stale = path.join(ROOT, 'dist/stale.txt')
  fs.writeFileSync(stale, '')
  let isBuilt = false
  const build = run(process.execPath, ['scripts/build.mjs', '--no-types'], { cwd: ROOT }).finally(() => {
    isBuilt = true
  })
  let starts = 0
  while (!isBuilt) {
    const { status, stderr } = spawnSync(process.execPath, ['dist/index.js', '--version'], { cwd: ROOT })
    expect(String(stderr)).toBe('')
    expect(status).toBe(0)
    starts += 1
    await new Promise(setImmediate)
  }
  await build
  expect(starts).toBeGreaterThan(0)
  expect(fs.existsSync(stale)).toBe(false)
})
