/** Visual Studio Code, its Insiders build and its open-source build. */

import { type Host, SAFE_WAIT_MS } from '../host.ts'

export const vscode: Host = {
  kind: 'vscode',
  clientNames: ['visual-studio-code', 'vscode', 'vs-code', 'code-oss'],
  metaKeys: [],
  waitCeilingMs: SAFE_WAIT_MS,
  doors: [],
}
