import { existsSync } from 'node:fs';
import { arch } from 'node:os';
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

/** Bytes of a file of times beyond which its beginning is given back. */
const STAMPS_BYTES_MAX = 4 * 1024 * 1024;

/** The kernel's number of the call that tells the time, by kind of machine. */
const CLOCK_CALLS: Readonly<Record<string, number>> = { x64: 228, arm64: 113 };
/** In every Debian: its package is essential. */
const PERL = '/usr/bin/perl';

/**
 * Writes what comes into the log, with the time at which it came, and is no part of the run: it
 * ends when nobody can write any more. A program has no hold of its log, and a flood takes bounded
 * room while nobody reads: the log keeps its length, its beginning becomes a hole.
 *
 * Of each piece `stamps` has two numbers of 8 bytes: where it begins in the log, and milliseconds
 * since 1970.
 */
function stampingWriter(clockCall: number): string {
  return `
my $run = shift;
$SIG{$_} = "IGNORE" for qw(TERM INT HUP);
open my $log, ">>:raw", "$run/log" or exit 126;
open my $stamps, ">>:raw", "$run/stamps" or exit 126;
my ($at, $last, $pieces) = ((stat $log)[7], 0, 0);
sub giveBack {
  my ($file, $max, $kept) = @_;
  my ($size, $blocks) = (stat "$run/$file")[7, 12];
  return if $blocks * ${BLOCK_BYTES} <= $max;
  my $hole = int(($size - $kept) / 16) * 16;
  system "fallocate", "--punch-hole", "--offset", 0, "--length", $hole, "$run/$file";
}
while (1) {
  my $got = sysread STDIN, my $piece, ${PIECE_BYTES};
  if (!defined $got) { select undef, undef, undef, 0.05; next }
  last if $got == 0;
  my $now = pack "qq", 0, 0;
  syscall ${clockCall}, 0, $now;
  my ($seconds, $nanos) = unpack "qq", $now;
  my $ms = $seconds * 1000 + int($nanos / 1000000);
  syswrite $stamps, pack("QQ", $at, $ms) if $ms != $last;
  $last = $ms;
  for (my $from = 0; $from < $got;) {
    my $put = syswrite $log, $piece, $got - $from, $from;
    if (!defined $put) { sleep 1; last }
    $from += $put; $at += $put;
  }
  next if ++$pieces % ${PIECES};
  giveBack("log", ${KEPT_BYTES_MAX}, ${END_BYTES});
  giveBack("stamps", ${STAMPS_BYTES_MAX}, ${END_BYTES});
}
open my $drained, ">", "$run/drained";
`;
}

/** What does the same without the times, where the machine cannot tell them. */
const PLAIN_WRITER = `
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

const WRITER = writerHere();

/** The command of the writer; its argument is the folder of the run. */
function writerHere(): string {
  const clockCall = process.platform === 'linux' ? CLOCK_CALLS[arch()] : undefined;
  if (clockCall === undefined || !existsSync(PERL)) return `sh -c '${PLAIN_WRITER}' stoa`;
  return `${PERL} -e '${stampingWriter(clockCall)}' --`;
}

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
 * The program alone has the mark of the run, so nothing that the shim starts is ended with it; and
 * a shell would tell how its program was ended, in a log that is the program's own.
 */
export const SHIM = `${CLOSE_OTHERS}
trap : TERM INT HUP
run=$1; groups=$2; shift 2
mark=$${RUN_MARK}; unset ${RUN_MARK}
echo $$ > "$run/shim.new" && mv "$run/shim.new" "$run/shim"
mkfifo -m 600 "$run/pipe"
${WRITER} "$run" < "$run/pipe" &
exec 2>/dev/null
${RUN_MARK}=$mark sh -c '
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
