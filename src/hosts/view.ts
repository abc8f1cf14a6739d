/** The window that was opened for a session which runs in a server of its host, and is only shown there. */

import type { ActionTarget } from '../core/action.ts'

export interface View {
  /**
   * Whether its screen shows `text`, which nothing but this session would show. False where there is no such window, or
   * another program runs in it by now.
   */
  shows(target: ActionTarget, text: string): Promise<boolean>
  /** What was done, or undefined where it was not. */
  close(target: ActionTarget): Promise<string | undefined>
  rename(target: ActionTarget, name: string): Promise<string | undefined>
}
