/** The plugins of the IDE as one, for a command line that loads `.engineer/plugins/session-mcp/`. */

import { coordination, joined, sceneAndModel } from '../ide.ts'

const place = { folder: __dirname, kind: 'engineer' }
const plugin = joined('session-mcp', [coordination('session-mcp', place), sceneAndModel('session-mcp', place)])

export const { name, onSend, onContinue, onToolResult, onEnd } = plugin
export default plugin
