/** Wake files in a real directory: touched, swept away, made again. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type WakeWatch, watchWakes } from '../../src/hosts/opencode/wake-watch.ts'
import { until } from '../e2e/lab/until.ts'

let root: string
let watch: WakeWatch
let touched: string[]
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'session-mcp-wakes-')))
  touched = []
  watch = watchWakes((file) => touched.push(path.basename(file)))
})
afterEach(() => {
  watch.close()
  fs.rmSync(root, { recursive: true, force: true })
})

const file = (name: string) => path.join(root, 'wakes', name)
let later = Date.now()
/** As the bus touches it; each time at another moment. */
function touch(name: string): void {
  later += 1_000
  if (!fs.existsSync(file(name))) fs.writeFileSync(file(name), '')
  fs.utimesSync(file(name), later / 1000, later / 1000)
}

async function untilTouched(count: number): Promise<void> {
  await until(`${count} touches are told of`, () => touched.length >= count, 120_000)
}

it('tells of each touch of a file that was added, and of no other', async () => {
  fs.mkdirSync(path.dirname(file('a')))
  for (const name of ['a', 'b', 'c']) touch(name)
  watch.add(file('a'))
  watch.add(file('b'))
  touch('c')
  touch('a')
  await untilTouched(1)
  touch('b')
  await untilTouched(2)
  watch.drop(file('a'))
  touch('a')
  touch('b')
  await untilTouched(3)
  expect(touched).toEqual(['a', 'b', 'b'])
})

it('goes on when the file, or the whole directory, was swept away and is made again', async () => {
  fs.mkdirSync(path.dirname(file('a')))
  touch('a')
  watch.add(file('a'))
  fs.rmSync(file('a'))
  touch('a')
  await untilTouched(1)
  fs.rmSync(path.dirname(file('a')), { recursive: true })
  fs.mkdirSync(path.dirname(file('a')))
  touch('a')
  await untilTouched(2)
})

it('works for a directory that is made later', async () => {
  watch.add(file('a'))
  fs.mkdirSync(path.dirname(file('a')))
  touch('a')
  await untilTouched(1)
})

it('tells nothing once it is closed', async () => {
  fs.mkdirSync(path.dirname(file('a')))
  touch('a')
  watch.add(file('a'))
  watch.close()
  const other = watchWakes((each) => touched.push(`other ${path.basename(each)}`))
  other.add(file('a'))
  touch('a')
  await untilTouched(1)
  other.close()
  expect(touched).toEqual(['other a'])
})
