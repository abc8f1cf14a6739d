/** Hands the IDE what the tools of the bus asked for: tabs to open, to steer and to wake. */

import { actionBridge } from '../../hooks/ide.ts'

const plugin = actionBridge('session-manager-bridge', { folder: __dirname, kind: 'msun', performs: true })

export const { name, onToolResult } = plugin
export default plugin
