#!/bin/sh
# gate.sh HOME COMMAND [ARGS]: starts the hook only when the bus left word for this conversation.
# Runs after every tool of every turn, so its common path is one test and no process. HOME may be empty: then the default.
home=${1:-${SESSION_MCP_HOME:-$HOME/.session-mcp}}
shift
if [ -n "$CLAUDE_CODE_SESSION_ID" ]; then
  [ -e "$home/pending/$CLAUDE_CODE_SESSION_ID" ] || exit 0
else
  for mark in "$home"/pending/*; do
    [ -e "$mark" ] || exit 0
    break
  done
fi
exec "$@"
