import { spawnSync } from 'node:child_process'

/** Tests that start real processes run what a user would run: the built files. */
export default function buildOnce(): void {
  const build = spawnSync(process.execPath, ['scripts/build.mjs', '--no-types'], { stdio: 'inherit' })
  if (build.status !== 0) throw new Error('the build failed')
}
