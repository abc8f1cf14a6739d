import * as z from 'zod'
import { OPERATIONS } from '../../core/action.ts'
import { defineTool } from '../define.ts'

export const manageSession = defineTool({
  name: 'manage_session',
  toolset: 'tabs',
  title: 'Do something to the tab of a session',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  description:
    'Switch to, close, cancel the turn of, rename, pin or set up the tab of a session, or type into its input line without sending (set_input). Not every host can do all of it: action.state says done, unsupported, failed or unknown, with the evidence and what a person can do instead.',
  input: {
    session: z.string().describe('Id or name'),
    operation: z.enum(OPERATIONS),
    text: z.string().describe('For set_input and send_message').optional(),
    name: z.string().describe('For rename').optional(),
    model: z.string().describe('For set_model').optional(),
    scene: z.string().describe('For set_scene').optional(),
  },
  run({ bus, caller }, input) {
    return bus.manage(caller, input)
  },
})
