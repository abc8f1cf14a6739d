/** Tells each tab with which scene and model it runs, and everybody else through its record. */

import { sceneAndModel } from '../../hooks/ide.ts'

const plugin = sceneAndModel('scene-model-context', { folder: __dirname, kind: 'msun' })

export const { name, onSend, onContinue } = plugin
export default plugin
