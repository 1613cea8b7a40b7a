import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { DatabaseEnd } from '../../../../domain/hosting/database-host.ts';
import type { FailureReason } from '../../../../domain/hosting/event-types.ts';
import type { Keeper, RunState } from '../keeper.ts';

/** Bytes at the end of a log that are searched for a reason. */
const TAIL_BYTES = 8 * 1024;
/** Exit codes above this mean that a signal ended the process. */
const SIGNAL_BASE = 128;
/** A warning of the server: process, role, time, `#`, text. */
const WARNING = /^\d+:[A-Z] .+? # (.+)$/gm;

/** Returns all runs of an instance that have files, oldest first. */
export function runsOf(keeper: Keeper, id: string): readonly string[] {
  const prefix = prefixOf(id);
  return keeper
    .names()
    .filter((name) => name.startsWith(prefix))
    .sort((one, other) => numberOf(one) - numberOf(other));
}

/** Returns the newest run of an instance. */
export function currentRun(keeper: Keeper, id: string): string | undefined {
  return runsOf(keeper, id).at(-1);
}

/** Returns the name of the next run. */
export function nextRun(keeper: Keeper, id: string): string {
  const last = currentRun(keeper, id);
  return `${prefixOf(id)}${last === undefined ? 1 : numberOf(last) + 1}`;
}

/** Describes to the owner why a server has stopped. */
export function endOf(keeper: Keeper, name: string, state: RunState): DatabaseEnd {
  const reason = keeper.reasonOf(name, state);
  const words = wordsOf(reason);
  const { nonZeroExit = SIGNAL_BASE } = reason ?? {};
  // A server ended by a signal has not logged the reason.
  const last = nonZeroExit < SIGNAL_BASE ? lastWarning(keeper.place(name).log) : undefined;
  return { ok: false, reason: last === undefined ? words : `${words}: ${last}`, isFinal: false };
}

function prefixOf(id: string): string {
  return `key-value-${id}-`;
}

function numberOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

function wordsOf(reason: FailureReason | null): string {
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
function lastWarning(log: string): string | undefined {
  const text = tailOf(log);
  return [...text.matchAll(WARNING)].at(-1)?.[1];
}

function tailOf(file: string): string {
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
