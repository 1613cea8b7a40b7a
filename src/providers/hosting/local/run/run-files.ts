import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanLimits } from '../../../../domain/hosting/plans.ts';
import { readTextIfPresent } from '../../../../system/read-text.ts';
import { writeAtomically } from '../../../sandbox/write-atomically.ts';

/** Record of a run, in addition to the files of its shim. */
export interface RunRecord {
  /** Unique across all runs, even those with the same name. */
  readonly token: string;
  /** Boot id of the machine when it was started. */
  readonly bootId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly service: string;
  /** Log of the service to which it writes. */
  readonly type: 'app' | 'build';
  readonly instance?: string;
  /** Port that it was told to listen on. */
  readonly port?: number;
  readonly limits: PlanLimits;
  /** Mark of the folder from which it was started; absent for a run of an older server. */
  readonly home?: string;
}

/** Paths of a run's files. */
export interface RunPaths {
  readonly folder: string;
  readonly log: string;
  /** File with the write times of the log's parts. */
  readonly stamps: string;
}

/** Returns the paths of a run. */
export function getRunPaths(runs: string, name: string): RunPaths {
  const folder = join(runs, name);
  return { folder, log: join(folder, 'log'), stamps: join(folder, 'stamps') };
}

/** Creates the folder of a new run. */
export function writeRun({ folder }: RunPaths, record: RunRecord): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeRecord(folder, record);
}

/** Changes a run's record to another boot, so that its end counts as unobserved. */
export function markHostRestart(paths: RunPaths): void {
  const record = readRun(paths);
  if (record === undefined) return;
  writeRecord(paths.folder, { ...record, bootId: '' });
  rmSync(join(paths.folder, 'exit'), { force: true });
}

/** Records why the machine evicts a run, before it does. */
export function writeEviction({ folder }: RunPaths, why: string): void {
  writeAtomically(join(folder, 'evicted'), why);
}

/** Returns why the machine evicted a run; `undefined` if it did not. */
export function readEviction({ folder }: RunPaths): string | undefined {
  return readTextIfPresent(join(folder, 'evicted'));
}

/** Records the address of a program if it is not 127.0.0.1. */
export function writeAddress({ folder }: RunPaths, address: string): void {
  writeAtomically(join(folder, 'address'), address);
}

/** Returns the recorded address of a program; `undefined` for 127.0.0.1. */
export function readAddress({ folder }: RunPaths): string | undefined {
  return readTextIfPresent(join(folder, 'address'));
}

/** Records why a program is not live yet, for its log. */
export function writeStartWarning({ folder }: RunPaths, text: string): void {
  writeAtomically(join(folder, 'start-warning'), text);
}

/** Returns why a program was not live in time; `undefined` if it started in time. */
export function readStartWarning({ folder }: RunPaths): string | undefined {
  return readTextIfPresent(join(folder, 'start-warning'));
}

/** Records when a run was asked to stop, in milliseconds. */
export function writeStop({ folder }: RunPaths, at: number): void {
  writeAtomically(join(folder, 'stopped'), String(at));
}

/** Returns when a run was asked to stop, in milliseconds; `undefined` if it was not. */
export function readStop({ folder }: RunPaths): number | undefined {
  return readNumber(join(folder, 'stopped'));
}

/** Returns the record of a run; `undefined` if there is no such run. */
export function readRun({ folder }: RunPaths): RunRecord | undefined {
  const text = readTextIfPresent(join(folder, 'run.json'));
  return text === undefined ? undefined : (JSON.parse(text) as RunRecord);
}

/** Returns the exit code of a run: 128 plus the signal number if a signal killed it. */
export function readExit({ folder }: RunPaths): number | undefined {
  return readNumber(join(folder, 'exit'));
}

/** Returns the process ids of a run and its shim. */
export function readPids({ folder }: RunPaths) {
  return { pid: readNumber(join(folder, 'pid')), shim: readNumber(join(folder, 'shim')) };
}

function readNumber(file: string): number | undefined {
  const text = readTextIfPresent(file)?.trim();
  return text === undefined || text === '' ? undefined : Number(text);
}

function writeRecord(folder: string, record: RunRecord): void {
  const file = join(folder, 'run.json');
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
