/** Takes the screen as the live view does, and throws where nobody catches it at the first key. */

import { openTerminal } from '../../src/cli/live/terminal.ts'

const { stdin, stdout } = process
const terminal = openTerminal({ stdin, stdout }, { resized() {}, ended() {} })
stdin.setRawMode(true)
terminal.draw('on the screen', undefined)
stdin.once('data', () => {
  throw new Error('a fault for the test')
})
