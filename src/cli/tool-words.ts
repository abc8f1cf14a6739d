/** The rules speak to models, in the names of tools; a person at a shell is told the commands that do the same. */

const COMMAND_OF: Readonly<Record<string, string>> = {
  list_sessions: 'list',
  query_session: 'show',
  send_message: 'send',
  read_inbox: 'inbox',
  message_status: 'status',
  wait_for_sessions: 'wait',
  complete_session: 'complete',
}

/** Not inside quotes: there it is what somebody wrote. */
const TOOL = new RegExp(`(?<!["\\w])(${Object.keys(COMMAND_OF).join('|')})(?:\\{(\\w+)\\})?(?!["\\w])`, 'g')

export function inCommandWords(text: string): string {
  return text.replace(TOOL, (_, tool: string, option: string | undefined) => {
    const command = `session-mcp ${COMMAND_OF[tool]}`
    return option === undefined ? command : `${command} --${option}`
  })
}
