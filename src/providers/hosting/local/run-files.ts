import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanLimits } from '../../../domain/hosting/plans.ts';
import { writeWhole } from '../../sandbox/whole.ts';

/** What is known of a run, beside what its shim writes. */
export interface RunRecord {
  /** Unique over all runs, also over those of one name. */
  readonly token: string;
  /** The start of the machine under which it was begun. */
  readonly bootId: string;
  /** Milliseconds. */
  readonly startedAt: number;
  readonly service: string;
  /** Which of the service's logs it writes. */
  readonly type: 'app' | 'build';
  readonly instance?: string;
  /** Where it was told to listen. */
  readonly port?: number;
  readonly limits: PlanLimits;
  /** Mark of the folder that it was begun from; absent in the record of an older server. */
  readonly home?: string;
}

/** Where the files of a run are. */
export interface RunPlace {
  readonly folder: string;
  readonly log: string;
  /** When the pieces of the log were written. */
  readonly stamps: string;
}

/** The folder of a run below the folder of all runs. */
export function runPlace(runs: string, name: string): RunPlace {
  const folder = join(runs, name);
  return { folder, log: join(folder, 'log'), stamps: join(folder, 'stamps') };
}

/** Makes the folder of a run that begins. */
export function writeRun({ folder }: RunPlace, record: RunRecord): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeRecord(folder, record);
}

/** Makes a run one of another start of the machine, whose end nobody saw. */
export function disownRun(place: RunPlace): void {
  const record = readRun(place);
  if (record === undefined) return;
  writeRecord(place.folder, { ...record, bootId: '' });
  rmSync(join(place.folder, 'exit'), { force: true });
}

/** Says why a run is ended by the machine, before it is. */
export function writeEviction({ folder }: RunPlace, why: string): void {
  writeWhole(join(folder, 'evicted'), why);
}

/** Why the machine ended a run; `undefined` for one that it did not end. */
export function readEviction({ folder }: RunPlace): string | undefined {
  return textOf(join(folder, 'evicted'));
}

/** Writes the address that a program is reached at, where it is not 127.0.0.1. */
export function writeAddress({ folder }: RunPlace, address: string): void {
  writeWhole(join(folder, 'address'), address);
}

/** The address that a program is reached at; `undefined` for 127.0.0.1. */
export function readAddress({ folder }: RunPlace): string | undefined {
  return textOf(join(folder, 'address'));
}

/** Writes what keeps a program from being live, for its log. */
export function writeStartWarning({ folder }: RunPlace, text: string): void {
  writeWhole(join(folder, 'start-warning'), text);
}

/** What kept a program from being live for long; `undefined` for one that started in time. */
export function readStartWarning({ folder }: RunPlace): string | undefined {
  return textOf(join(folder, 'start-warning'));
}

/** Notes that a run was asked to end, in milliseconds. */
export function writeStop({ folder }: RunPlace, at: number): void {
  writeWhole(join(folder, 'stopped'), String(at));
}

/** When a run was asked to end, in milliseconds; `undefined` for one that was not. */
export function readStop({ folder }: RunPlace): number | undefined {
  return numberOf(join(folder, 'stopped'));
}

/** What was written when it began; `undefined` for a run that there is not. */
export function readRun({ folder }: RunPlace): RunRecord | undefined {
  const text = textOf(join(folder, 'run.json'));
  return text === undefined ? undefined : (JSON.parse(text) as RunRecord);
}

/** The code that it ended with, 128 and the signal's number where one ended it. */
export function readExit({ folder }: RunPlace): number | undefined {
  return numberOf(join(folder, 'exit'));
}

/** Its process, and the shim that waits for it. */
export function readPids({ folder }: RunPlace) {
  return { pid: numberOf(join(folder, 'pid')), shim: numberOf(join(folder, 'shim')) };
}

function numberOf(file: string): number | undefined {
  const text = textOf(file)?.trim();
  return text === undefined || text === '' ? undefined : Number(text);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function writeRecord(folder: string, record: RunRecord): void {
  const file = join(folder, 'run.json');
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
