/** Loads installed plugins as their host does, and calls them about no tab: they answer, and open no bus. */

import type { Environment } from '../../hosts/host.ts'
import { oneLine } from '../safe-text.ts'
import { cut } from '../width.ts'
import { type HookAnswer, run } from './hook-run.ts'

/** A fault is told with the name of its plugin first: what Node says begins with paths, and those are long. */
const PROGRAM = `const { basename, dirname } = require('node:path')
const { pathToFileURL } = require('node:url')
const ask = async (file) => {
  const { default: whole, ...named } = await import(pathToFileURL(file).href)
  const { onSend, onContinue, onToolResult } = { ...whole, ...named }
  for (const hook of [onSend, onContinue, onToolResult]) await hook?.({})
}
const named = (file) => ask(file).catch((fault) => { console.error(basename(dirname(file)) + ': ' + fault); throw fault })
Promise.all(process.argv.slice(1).map(named)).then(() => process.exit(0), () => process.exit(1))`

export async function tryPlugins(files: readonly string[], env: Environment): Promise<HookAnswer> {
  const started = performance.now()
  const { code, stderr } = await run(process.execPath, ['-e', PROGRAM, ...files], '', env)
  const took = Math.round(performance.now() - started)
  if (code === 0) return { isFine: true, text: `answer in ${took} ms.` }
  const said = oneLine(stderr) === '' ? '' : ` Node said: ${cut(oneLine(stderr), 200)}`
  return { isFine: false, text: code === undefined ? `do not answer.${said}` : `cannot be loaded.${said}` }
}
