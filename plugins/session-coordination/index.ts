/** Tells each tab who it is on the bus, what is unread and what the sessions it follows are doing. */

import { coordination } from '../../hooks/ide.ts'

const plugin = coordination('session-coordination', { folder: __dirname, kind: 'msun', performs: true })

export const { name, onSend, onContinue, onEnd } = plugin
export default plugin
