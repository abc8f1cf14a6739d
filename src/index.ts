#!/usr/bin/env node
/** The executable: `node dist/index.js` is the server when a client started it, the command line when a person did. */

import { main } from './cli/main.ts'

/** Set by scripts/build.mjs from package.json. */
declare const __VERSION__: string

main(process.argv.slice(2), process, __VERSION__).then((code) => {
  // Everything is written by now; a watcher or a client's pipe left open must not keep us here.
  process.exit(code)
})
