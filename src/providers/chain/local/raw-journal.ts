import {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { keccak256 } from 'viem/utils';
import { z } from 'zod';
import { AppError } from '../../../domain/common/error.ts';
import { readJsonLines } from './json-file.ts';

const Hex = z.templateLiteral(['0x', z.string()]);

/** A signed transaction, kept before it is sent. */
export type RawTransaction = z.infer<typeof RawTransaction>;

/** See the type of this name. */
export const RawTransaction = z.object({
  hash: Hex,
  raw: Hex,
  /** The sender's. */
  nonce: z.number().int().nonnegative(),
  /** Unix seconds at signing; a replay gives its block this time. */
  atS: z.number().int(),
  /** `payer:nonce` of the authorization that it carries. */
  key: z.string().optional(),
  /** Who sent it, where that was not the operator: somebody who settled a payment before us. */
  from: Hex.optional(),
});

/** Signed transactions in the order of their making, on disk. */
export interface RawJournal {
  /** Resolves when the rows are on disk. */
  append(rows: readonly RawTransaction[]): Promise<void>;
  /** Forgets rows that a chain refused for good, so that no replay sends them. */
  drop(hash: string): void;
  /** Hashes of transactions that carried an authorization, oldest first. */
  hashesOf(key: string): readonly string[];
  /** All rows, in order. */
  rows(): readonly RawTransaction[];
  /** Forgets rows that are safe elsewhere. */
  remove(hashes: ReadonlySet<string>): void;
  /** Nonces below are safe elsewhere: rewrites the file without them once it has grown. */
  trim(nonce: number): void;
  close(): void;
}

/** Rows that `trim` leaves at the most, in memory and on disk. */
export const RAW_ROWS_MAX = 10_000;
/** Rows beyond the needed ones that a file may hold before it is rewritten. */
const TRIM_SLACK_ROWS = 2_000;

const sync = promisify(fdatasync);

/** An open file that is closed when nobody syncs it any more. */
interface Handle {
  readonly fd: number;
  syncing: number;
  isRetired: boolean;
}

/**
 * Opens the journal in a file; a torn last line, of a write that never ended, is dropped.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
export function openRawJournal(file: string): RawJournal {
  let rows = readRawRows(file);
  let handle = rewrite(file, rows);
  const keep = (wanted: readonly RawTransaction[]) => {
    rows = [...wanted];
    const old = handle;
    handle = rewrite(file, rows);
    retire(old);
  };
  return {
    append: async (added) => {
      const current = handle;
      writeRows(current.fd, added);
      rows.push(...added);
      current.syncing += 1;
      try {
        await sync(current.fd);
      } finally {
        current.syncing -= 1;
        if (current.isRetired) retire(current);
      }
    },
    drop: (hash) => keep(rows.filter((row) => row.hash !== hash)),
    hashesOf: (key) => rows.filter((row) => row.key === key).map((row) => row.hash),
    rows: () => rows,
    remove: (hashes) => keep(rows.filter((row) => !hashes.has(row.hash))),
    trim: (nonce) => {
      const old = rows.findIndex((row) => row.nonce >= nonce);
      const done = old === -1 ? rows.length : old;
      // Done rows still answer `hashesOf`, so the last of them stay for as long as there is room.
      const surplus = Math.min(done, rows.length - RAW_ROWS_MAX);
      if (surplus > TRIM_SLACK_ROWS) keep(rows.slice(surplus));
    },
    close: () => {
      if (!handle.isRetired) retire(handle);
    },
  };
}

/** A descriptor that is closed under a running sync would fail it, or sync a file of others. */
function retire(handle: Handle): void {
  handle.isRetired = true;
  if (handle.syncing === 0) closeSync(handle.fd);
}

/**
 * Reads the rows of a journal; a torn last line, of a write that never ended, is left out.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
function readRawRows(file: string): RawTransaction[] {
  return readJsonLines(file, RawTransaction);
}

/**
 * Checks a journal: a transaction is named by its hash, which shows when a digit of it was changed.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
export function checkRawRows(file: string): void {
  for (const [at, { hash, raw }] of readRawRows(file).entries()) {
    if (keccak256(raw) === hash) continue;
    throw new AppError('DATA_DAMAGED', {
      message: `Line ${at + 1} holds a transaction that is not the one of its hash.`,
      data: { file, line: at + 1 },
    });
  }
}

/** Writes all of the rows, or none: half a line would spoil the one behind it. */
function writeRows(fd: number, rows: readonly RawTransaction[]): void {
  const { size } = fstatSync(fd);
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  } catch (cause) {
    ftruncateSync(fd, size);
    throw cause;
  }
}

function rewrite(file: string, rows: readonly RawTransaction[]): Handle {
  const draft = openSync(`${file}.new`, 'w', 0o600);
  writeRows(draft, rows);
  fsyncSync(draft);
  closeSync(draft);
  renameSync(`${file}.new`, file);
  return { fd: openSync(file, 'a', 0o600), syncing: 0, isRetired: false };
}
