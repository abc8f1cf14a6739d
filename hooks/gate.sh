#!/bin/sh
# gate.sh [--any] [prompt|always] HOME COMMAND [ARGS]: starts the hook only where the bus left word for this conversation.
# Runs after every tool of every turn and, with `prompt`, at every prompt, so its common path is a few tests and no process.
# `always`: at other moments the hook itself has to look.
# HOME may be empty: then the default. --any: the host gives its hooks no id; one inherited from a host around it says nothing.
id=$CLAUDE_CODE_SESSION_ID
case $1 in --any) id= && shift ;; esac
at=
case $1 in prompt | always) at=$1 && shift ;; esac
home=${1:-${SESSION_MCP_HOME:-$HOME/.session-mcp}}
shift
case $at:$id in
  always:*) ;;
  # The files of an id with capital letters, or none at all, have other names: then any mark counts, and any prompt.
  prompt: | prompt:*[!0123456789abcdefghijklmnopqrstuvwxyz_-]*) ;;
  : | :*[!0123456789abcdefghijklmnopqrstuvwxyz_-]*)
    for mark in "$home"/pending/*; do
      [ -e "$mark" ] || exit 0
      break
    done
    ;;
  # A prompt is left to the gate where a hook said so when the last turn ended, and no turn and no word came since.
  # A program of another host, started from here, may run our hooks too; only a hook can tell.
  prompt:*)
    if [ -e "$home/gated/$id" ] && [ ! -e "$home/pending/$id" ] && [ ! -e "$home/turns/$id" ] &&
      [ -z "${CURSOR_VERSION+1}${COPILOT_CLI+1}${COPILOT_PLUGIN_ROOT+1}${GEMINI_SESSION_ID+1}${CODEX_THREAD_ID+1}" ]; then
      umask 077
      # Not `:`, at whose failed redirection sh ends with an error. What cannot be noted here, the hook tries once more.
      true 2>/dev/null >"$home/turns/$id" && exit 0
    fi
    ;;
  *) [ -e "$home/pending/$id" ] || exit 0 ;;
esac
# What was removed since says nothing: hosts take some ways to fail for a verdict on the turn.
command -v "$1" >/dev/null 2>&1 || exit 0
case $2 in */*) [ -r "$2" ] || exit 0 ;; esac
# Node reads more certificates at its start, which takes longer than all of the hook; and a hook opens no connection.
unset NODE_EXTRA_CA_CERTS
exec "$@"
