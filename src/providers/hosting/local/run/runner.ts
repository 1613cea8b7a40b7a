import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import type { Clock } from '../../../../domain/common/clock.ts';
import { AppError } from '../../../../domain/common/error.ts';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { PlanLimits } from '../../../../domain/hosting/plans.ts';
import type { FailureReason } from '../../../../domain/hosting/records.ts';
import { hashFolderIdentity } from '../../../../system/folder-mark.ts';
import type { Cgroups } from '../../../sandbox/cgroups.ts';
import { belongsToRun, listMarkedPids, readBootId, sendSignal, signalGroup } from './processes.ts';
import {
  getRunPaths,
  markHostRestart,
  type RunPaths,
  type RunRecord,
  readEviction,
  readExit,
  readPids,
  readRun,
  readStop,
  writeEviction,
  writeRun,
  writeStop,
} from './run-files.ts';
import { spawnShim } from './shim.ts';

/** Interval between checks of a process, in milliseconds. */
const POLL_MS = 100;
/** Timeout for a killed process to disappear, in milliseconds. */
const KILL_MS = 10 * SECOND_MS;
/** Timeout for a new process to appear, in milliseconds. */
const SPAWN_MS = 10 * SECOND_MS;

/** What to run, and how. */
export interface RunOrder {
  readonly service: string;
  readonly type: 'app' | 'build';
  readonly instance?: string;
  readonly port?: number;
  readonly limits: PlanLimits;
  /** Program and arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Timeout of a run since its start, in milliseconds, and its name in errors. */
interface RunBounds {
  readonly limitMs: number;
  readonly what: string;
  readonly signal: AbortSignal;
  /** Time to exit after SIGTERM, in milliseconds; 0 by default. */
  readonly graceMs?: number;
}

/** State of a run. */
export type RunState =
  | { readonly state: 'none' }
  | { readonly state: 'running'; readonly record: RunRecord }
  | { readonly state: 'ended'; readonly record: RunRecord; readonly code: number }
  /** Its end was not recorded: the machine was restarted, or its shim was killed. */
  | { readonly state: 'lost'; readonly record: RunRecord; readonly isHostRestart: boolean };

/** Dependencies of the runner. */
interface RunnerParts {
  /** Folder of all runs. */
  readonly runs: string;
  readonly cgroups: Cgroups;
  readonly clock: Clock;
  readonly token: () => string;
  /** Aborts when the daemon stops; running programs are left for the next daemon. */
  readonly closing: AbortSignal;
}

/** Starts, waits for, finds and stops hosted programs by name. They outlive the daemon. */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #boot = readBootId();
  /** Distinguishes these runs from those in a copy of their folder. */
  readonly #home: string;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    mkdirSync(parts.runs, { recursive: true, mode: 0o700 });
    this.#home = hashFolderIdentity(parts.runs);
  }

  /** Starts a run, unless one with this name already exists. */
  async start(name: string, order: RunOrder): Promise<RunRecord> {
    const known = this.getState(name);
    if (known.state === 'running' || known.state === 'ended') return known.record;
    if (known.state === 'lost') await this.kill(name);
    const { cgroups, clock, token } = this.#parts;
    const { service, type, instance, port, limits } = order;
    const record: RunRecord = {
      token: token(),
      bootId: this.#boot,
      startedAt: clock.now(),
      service,
      type,
      limits,
      home: this.#home,
      ...(instance === undefined ? {} : { instance }),
      ...(port === undefined ? {} : { port }),
    };
    const paths = this.paths(name);
    const groups = cgroups.createGroup(groupNameOf(this.#home, name), limits);
    writeRun(paths, record);
    spawnShim(paths, { ...order, groups, token: record.token });
    await this.#waitUntil(() => readPids(paths).shim !== undefined, SPAWN_MS);
    return record;
  }

  /** Returns the current state of a run. */
  getState(name: string): RunState {
    const paths = this.paths(name);
    const record = this.#read(paths);
    if (record === undefined) return { state: 'none' };
    const isRunning = belongsToRun(readPids(paths).shim, record.token);
    const code = readExit(paths);
    if (code !== undefined) return { state: 'ended', record, code };
    if (isRunning) return { state: 'running', record };
    return { state: 'lost', record, isHostRestart: record.bootId !== this.#boot };
  }

  isRunning(name: string): boolean {
    return this.getState(name).state === 'running';
  }

  async waitForEnd(
    name: string,
    abort: AbortSignal,
  ): Promise<Exclude<RunState, { state: 'running' }>> {
    for (;;) {
      const now = this.getState(name);
      if (now.state !== 'running') return now;
      await this.pause(POLL_MS, abort);
    }
  }

  /**
   * Runs a command to its end, or resumes waiting for the run with this name. An abort of the
   * signal stops the run; when the daemon stops, the run continues for the next daemon.
   *
   * @returns Why it failed; `null` on success.
   */
  async runToEnd(
    name: string,
    order: RunOrder,
    { limitMs, what, signal, graceMs = 0 }: RunBounds,
  ): Promise<FailureReason | null> {
    const { clock, closing } = this.#parts;
    const { startedAt } = await this.start(name, order);
    const left = Math.max(0, startedAt + limitMs - clock.now());
    const timeout = new AbortController();
    const cancel = clock.at(clock.now() + left, () => timeout.abort());
    try {
      const end = await this.waitForEnd(name, AbortSignal.any([signal, timeout.signal]));
      // The kernel's memory report is lost when its cgroup is removed.
      const reason = this.failureReason(name, end);
      await this.kill(name);
      return reason;
    } catch (thrown) {
      if (!closing.aborted) await this.stop(name, graceMs);
      if (!timeout.signal.aborted || signal.aborted) throw thrown;
      return { timedOut: { seconds: limitMs / SECOND_MS, what } };
    } finally {
      cancel();
    }
  }

  /** Returns why a run ended, for its owner; `null` for success. */
  failureReason(name: string, state: RunState): FailureReason | null {
    const evicted = this.evictionReason(name);
    if (evicted !== undefined && state.state !== 'running') return { evicted };
    switch (state.state) {
      case 'none':
      case 'running':
        return null;
      case 'lost':
        return { evicted: state.isHostRestart ? 'the machine was restarted' : 'it was killed' };
      case 'ended':
        if (state.code === 0) return null;
        if (this.#parts.cgroups.wasOomKilled(this.#groupName(name))) {
          return { oomKilled: { memoryLimitMib: state.record.limits.memoryMib } };
        }
        return { nonZeroExit: state.code };
    }
  }

  /**
   * Sends a signal to a run and kills what is left after a grace period. A shell can exit before
   * its program, so all processes are awaited. Idempotent: the grace period starts with the first
   * call.
   */
  async stop(name: string, graceMs: number, signalName: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const paths = this.paths(name);
    const askedAt = readStop(paths);
    if (graceMs > 0 && (this.isRunning(name) || askedAt !== undefined)) {
      if (askedAt === undefined) {
        writeStop(paths, this.now());
        const { pid } = readPids(paths);
        // A database server must stop its own children.
        const others = signalName === 'SIGTERM' ? this.#programPids(name) : [];
        if (pid !== undefined) signalGroup(pid, others, signalName);
      }
      const isOver = (): boolean => this.#programPids(name).length === 0;
      const limitMs = Math.min(graceMs, (askedAt ?? this.now()) + graceMs - this.now());
      await this.#waitUntil(isOver, limitMs);
    }
    await this.kill(name);
  }

  /** Kills all processes of a run, including those that left its session. */
  async kill(name: string): Promise<void> {
    const paths = this.paths(name);
    const record = this.#read(paths);
    if (record === undefined) return;
    const isGone = (): boolean => {
      for (const pid of this.#programPids(name)) sendSignal(pid, 'SIGKILL');
      return this.pids(name).length === 0;
    };
    await this.#waitUntil(isGone, KILL_MS);
    const { shim } = readPids(paths);
    if (belongsToRun(shim, record.token) && shim !== undefined) sendSignal(shim, 'SIGKILL');
    if (this.pids(name).length > 0) {
      throw new AppError('INTERNAL', { message: `The processes of ${name} cannot be killed.` });
    }
    this.#parts.cgroups.remove(this.#groupName(name));
  }

  /** Kills a run because of its disk usage, and records the reason. */
  async evict(name: string, why: string): Promise<void> {
    if (!this.isRunning(name)) return;
    writeEviction(this.paths(name), why);
    await this.kill(name);
  }

  /** Returns why the machine evicted a run; `undefined` if it did not. */
  evictionReason(name: string): string | undefined {
    return readEviction(this.paths(name));
  }

  /** Returns the processes of a run. */
  pids(name: string): readonly number[] {
    const record = this.#read(this.paths(name));
    if (record === undefined) return [];
    const marked = record.bootId === this.#boot ? listMarkedPids(record.token) : [];
    return [...new Set([...marked, ...this.#parts.cgroups.pids(this.#groupName(name))])];
  }

  /** Returns memory and processor time of a run, if the kernel counts them. */
  usage(name: string) {
    return this.#parts.cgroups.usage(this.#groupName(name));
  }

  /** Returns the names of all runs that have files. */
  names(): readonly string[] {
    return readdirSync(this.#parts.runs);
  }

  /** Returns the runs named with a prefix and a number, oldest first. */
  listNumbered(prefix: string): readonly string[] {
    return this.names()
      .filter((name) => name.startsWith(prefix))
      .sort((one, other) => runNumber(one) - runNumber(other));
  }

  /** Returns the name of the next run with a prefix and a number. */
  nextName(prefix: string): string {
    const last = this.listNumbered(prefix).at(-1);
    return `${prefix}${last === undefined ? 1 : runNumber(last) + 1}`;
  }

  /** Removes the files of a run that has ended. */
  removeFiles(name: string): void {
    if (this.isRunning(name)) return;
    rmSync(this.paths(name).folder, { recursive: true, force: true });
  }

  /** Makes a deliberately stopped run look as if a restart of the machine had ended it. */
  simulateHostRestart(name: string): void {
    markHostRestart(this.paths(name));
  }

  paths(name: string): RunPaths {
    return getRunPaths(this.#parts.runs, name);
  }

  /** Returns the milliseconds since the last activity of a run. */
  idleMs(name: string): number {
    const folder = statSync(this.paths(name).folder, { throwIfNoEntry: false });
    return folder === undefined ? 0 : this.#parts.clock.now() - folder.mtimeMs;
  }

  now(): number {
    return this.#parts.clock.now();
  }

  async pause(ms: number, abort?: AbortSignal): Promise<void> {
    abort?.throwIfAborted();
    const { clock } = this.#parts;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        cancel();
        reject(abort?.reason);
      };
      const cancel = clock.at(clock.now() + ms, () => {
        abort?.removeEventListener('abort', stop);
        resolve();
      });
      abort?.addEventListener('abort', stop, { once: true });
    });
  }

  /**
   * Returns the processes of a run without its shim, which exits by itself after recording the end.
   */
  #programPids(name: string): readonly number[] {
    const { shim } = readPids(this.paths(name));
    return this.pids(name).filter((pid) => pid !== shim);
  }

  /** Polls until a condition holds or the time is up. */
  async #waitUntil(isTrue: () => boolean, limitMs: number): Promise<void> {
    const end = this.now() + limitMs;
    while (!isTrue() && this.now() < end) await this.pause(Math.min(POLL_MS, end - this.now()));
  }

  /**
   * Reads the record of a run started from this folder. A record in a copied folder names processes
   * of the original. Here such a run counts as ended by a restart of the machine.
   */
  #read(paths: RunPaths): RunRecord | undefined {
    const record = readRun(paths);
    if (record?.home === undefined || record.home === this.#home) return record;
    return { ...record, bootId: '', token: `copied from ${record.home}` };
  }

  #groupName(name: string): string {
    const isOld = readRun(this.paths(name))?.home === undefined;
    return groupNameOf(isOld ? undefined : this.#home, name);
  }
}

/**
 * Returns the cgroup name of a run, unique among other programs and data directories.
 *
 * @param home - Absent for a run of an older server.
 */
function groupNameOf(home: string | undefined, name: string): string {
  return home === undefined ? `stoa-${name}` : `stoa-${home}-${name}`;
}

function runNumber(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
