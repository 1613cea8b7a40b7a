import { existsSync } from 'node:fs';
import { RUN_MARK } from './processes.ts';

/** Bytes of a log on the disk beyond which all but its end is given back, whoever reads it. */
const KEPT_BYTES_MAX = 80 * 1024 * 1024;
/** The end of a log that stays then, in bytes. */
const END_BYTES = 1024 * 1024;
/** What is written between two looks at a log: pieces of at most so many bytes. */
const PIECE_BYTES = 65_536;
const PIECES = 256;
/** Bytes of a block, as files are measured in. */
const BLOCK_BYTES = 512;

/**
 * Writes what comes into the log, and is no part of the run: it ends when nobody can write any
 * more. A program has no hold of its log, and a flood takes bounded room while nobody reads: the
 * log keeps its length, its beginning becomes a hole.
 */
const WRITER = `
trap "" TERM INT HUP
last=-1
while :; do
  dd bs=${PIECE_BYTES} count=${PIECES} 2>/dev/null || { sleep 1; last=-1; continue; }
  set -- "$1" $(stat -c "%s %b" "$1/log")
  [ "$2" = "$last" ] && break
  last=$2
  [ $(($3 * ${BLOCK_BYTES})) -gt ${KEPT_BYTES_MAX} ] &&
    fallocate --punch-hole --offset 0 --length $(($2 - ${END_BYTES})) "$1/log" 2>/dev/null
done
: > "$1/drained"
`;

/**
 * Closes every descriptor above the standard three. Only bash can name one of two digits; another
 * shell refuses to go on where such a one is open.
 */
const CLOSE_OTHERS = `
for each in /proc/self/fd/*; do
  fd=\${each##*/}
  [ "$fd" -gt 2 ] 2>/dev/null && [ -e "$each" ] || continue
  if [ -n "$BASH_VERSION" ] || [ "$fd" -lt 10 ]; then eval "exec $fd>&-"; else exit 126; fi
done
`;

/**
 * Waits for a program and writes how it ended; it outlives the daemon, which holds no pipe to it.
 * The program is in its groups and in a session of its own before its first instruction. Its end is
 * told once its last words are in the log, or after 2 s where others that it left still write.
 */
export const SHIM = `${CLOSE_OTHERS}
trap : TERM INT HUP
run=$1; groups=$2; shift 2
echo $$ > "$run/shim.new" && mv "$run/shim.new" "$run/shim"
mkfifo -m 600 "$run/pipe"
env -u ${RUN_MARK} sh -c '${WRITER}' stoa "$run" < "$run/pipe" &
sh -c '
run=$1; groups=$2; shift 2
IFS=:
for group in $groups; do echo $$ > "$group" || exit 126; done
unset IFS
echo $$ > "$run/pid.new" && mv "$run/pid.new" "$run/pid"
exec setsid "$@"
' stoa "$run" "$groups" "$@" > "$run/pipe" 2>&1
code=$?
looks=0
while [ ! -e "$run/drained" ] && [ $looks -lt 40 ]; do sleep 0.05; looks=$((looks + 1)); done
echo $code > "$run/exit.new"; mv "$run/exit.new" "$run/exit"
`;

/** The shell that runs the shim: bash, where there is one, can close any descriptor. */
export const SHIM_SHELL = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
