import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { DatabaseOutcome } from '../../../../domain/hosting/database-host.ts';
import type { FailureReason } from '../../../../domain/hosting/records.ts';
import type { Runner, RunState } from '../run/runner.ts';

/** Bytes at the end of a log that are searched for a reason. */
const TAIL_BYTES = 8 * 1024;
/** Exit codes above this mean that a signal ended the process. */
const SIGNAL_BASE = 128;
/** A warning of the server: process, role, time, `#`, text. */
const WARNING = /^\d+:[A-Z] .+? # (.+)$/gm;

/** Describes to the owner why a server has stopped. */
export function describeEnd(runner: Runner, name: string, state: RunState): DatabaseOutcome {
  const reason = runner.failureReason(name, state);
  const summary = describeReason(reason);
  const { nonZeroExit = SIGNAL_BASE } = reason ?? {};
  // A server ended by a signal has not logged the reason.
  const last = nonZeroExit < SIGNAL_BASE ? findLastWarning(runner.paths(name).log) : undefined;
  return {
    ok: false,
    reason: last === undefined ? summary : `${summary}: ${last}`,
    isFinal: false,
  };
}

function describeReason(reason: FailureReason | null): string {
  if (reason === null) return 'it exited';
  if (reason.oomKilled !== undefined) {
    return `the kernel killed it at ${reason.oomKilled.memoryLimitMib} MiB`;
  }
  if (reason.evicted !== undefined) return reason.evicted;
  const code = reason.nonZeroExit ?? 0;
  return code > SIGNAL_BASE
    ? `signal ${code - SIGNAL_BASE} killed it`
    : `it exited with code ${code}`;
}

/** Returns the last warning in the server's log. */
function findLastWarning(log: string): string | undefined {
  const text = readTail(log);
  return [...text.matchAll(WARNING)].at(-1)?.[1];
}

function readTail(file: string): string {
  try {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString('utf8');
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
