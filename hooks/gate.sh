#!/bin/sh
# gate.sh [--any] HOME COMMAND [ARGS]: starts the hook only when the bus left word for this conversation.
# Runs after every tool of every turn, so its common path is one test and no process. HOME may be empty: then the default.
# --any: the host gives its hooks no id; one it inherited from a host around it says nothing.
id=$CLAUDE_CODE_SESSION_ID
if [ "$1" = --any ]; then
  id=
  shift
fi
home=${1:-${SESSION_MCP_HOME:-$HOME/.session-mcp}}
shift
case $id in
  # The mark of an id with capital letters, or none at all, has another name: then any mark counts.
  '' | *[!0123456789abcdefghijklmnopqrstuvwxyz_-]*)
    for mark in "$home"/pending/*; do
      [ -e "$mark" ] || exit 0
      break
    done
    ;;
  *) [ -e "$home/pending/$id" ] || exit 0 ;;
esac
exec "$@"
