import { closeSync, existsSync, openSync } from 'node:fs';
import { arch } from 'node:os';
import { spawn } from '../../../../system/child.ts';
import { RUN_MARK } from './processes.ts';
import type { RunPaths, RunRecord } from './run-files.ts';

/** Disk usage of a log above which all but its end is freed, in bytes. */
const LOG_BYTES_MAX = 80 * 1024 * 1024;
/** Size of the end that is kept then, in bytes. */
const END_BYTES = 1024 * 1024;
/** Maximum size of a piece, in bytes, and pieces between two checks of the log. */
const PIECE_BYTES = 65_536;
const PIECES = 256;
/** Block size in which file usage is counted, in bytes. */
const BLOCK_BYTES = 512;

/** Disk usage of a stamps file above which its beginning is freed, in bytes. */
const STAMPS_BYTES_MAX = 4 * 1024 * 1024;

/** System call number of `clock_gettime`, by architecture. */
const CLOCK_CALLS: Readonly<Record<string, number>> = { x64: 228, arm64: 113 };
/** Present on every Debian system, where the package is essential. */
const PERL = '/usr/bin/perl';

/**
 * Source of the log writer, which records when each piece was written. It is not part of the run
 * and ends when no writer is left. The program cannot access its log. A flood uses limited space
 * even without a reader: the log keeps its length, but its beginning becomes a hole.
 *
 * For each piece, `stamps` contains two 8-byte numbers: its position in the log, and milliseconds
 * since 1970.
 */
function createStampingWriter(clockCall: number): string {
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
  giveBack("log", ${LOG_BYTES_MAX}, ${END_BYTES});
  giveBack("stamps", ${STAMPS_BYTES_MAX}, ${END_BYTES});
}
open my $drained, ">", "$run/drained";
`;
}

/** Source of a log writer without times, for machines that lack the means. */
const PLAIN_WRITER = `
trap "" TERM INT HUP
last=-1
while :; do
  dd bs=${PIECE_BYTES} count=${PIECES} 2>/dev/null || { sleep 1; last=-1; continue; }
  set -- "$1" $(stat -c "%s %b" "$1/log")
  [ "$2" = "$last" ] && break
  last=$2
  [ $(($3 * ${BLOCK_BYTES})) -gt ${LOG_BYTES_MAX} ] &&
    fallocate --punch-hole --offset 0 --length $(($2 - ${END_BYTES})) "$1/log" 2>/dev/null
done
: > "$1/drained"
`;

const WRITER = detectWriter();

/** Returns the command of the log writer; its argument is the folder of the run. */
function detectWriter(): string {
  const clockCall = process.platform === 'linux' ? CLOCK_CALLS[arch()] : undefined;
  if (clockCall === undefined || !existsSync(PERL)) return `sh -c '${PLAIN_WRITER}' stoa`;
  return `${PERL} -e '${createStampingWriter(clockCall)}' --`;
}

/**
 * Closes every descriptor above the standard three. Only bash supports two-digit descriptors; other
 * shells exit if one is open.
 */
const CLOSE_DESCRIPTORS = `
for each in /proc/self/fd/*; do
  fd=\${each##*/}
  [ "$fd" -gt 2 ] 2>/dev/null && [ -e "$each" ] || continue
  if [ -n "$BASH_VERSION" ] || [ "$fd" -lt 10 ]; then eval "exec $fd>&-"; else exit 126; fi
done
`;

/**
 * Source of the shim, which waits for a program and records its exit. It outlives the daemon, which
 * holds no pipe to it. The program joins its cgroups and its own session before its first
 * instruction. Its exit is recorded once its output is in the log, or after 2 s if other processes
 * still write. Only the program carries the run's mark, so stopping the run does not affect the
 * shim. The shim's own errors stay out of the program's log.
 */
export const SHIM = `${CLOSE_DESCRIPTORS}
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

/** The shell that runs the shim: bash, if available, because it can close any descriptor. */
const SHIM_SHELL = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';

/** Starts a program under a shim that outlives this process. */
export function spawnShim(
  { folder, log }: RunPaths,
  o: Pick<RunRecord, 'token'> & {
    /** Program and arguments. */
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    /** Files through which the program joins its cgroups. */
    readonly groups: readonly string[];
  },
): void {
  const output = openSync(log, 'a', 0o600);
  try {
    const child = spawn(SHIM_SHELL, ['-c', SHIM, 'stoa', folder, o.groups.join(':'), ...o.argv], {
      cwd: '/',
      detached: true,
      env: { ...o.env, [RUN_MARK]: o.token },
      stdio: ['ignore', output, output],
    });
    child.on('error', () => undefined);
    child.unref();
  } finally {
    closeSync(output);
  }
}
