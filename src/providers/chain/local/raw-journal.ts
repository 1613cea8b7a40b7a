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

/** A signed transaction, stored before it is sent. */
export type RawTransaction = z.infer<typeof RawTransaction>;

/** Validates a signed transaction. */
export const RawTransaction = z.object({
  hash: Hex,
  raw: Hex,
  /** Nonce of the sender. */
  nonce: z.number().int().nonnegative(),
  /** Unix seconds at signing. A replay gives its block this time. */
  atS: z.number().int(),
  /** `payer:nonce` of the authorization that it carries. */
  key: z.string().optional(),
  /** The sender, if not the operator: a third party who settled a payment before us. */
  from: Hex.optional(),
});

/** A file of signed transactions in signing order. */
export interface RawJournal {
  /** Appends rows. Resolves when they are on disk. */
  append(rows: readonly RawTransaction[]): Promise<void>;
  /** Removes rows that a chain rejected for good, so that no replay sends them. */
  drop(hash: string): void;
  /** Returns the hashes of transactions that carried an authorization, oldest first. */
  hashesOf(key: string): readonly string[];
  /** Returns all rows, in order. */
  rows(): readonly RawTransaction[];
  /** Removes rows that are stored elsewhere. */
  remove(hashes: ReadonlySet<string>): void;
  /** Rewrites the file without rows below a nonce once it has grown. They are stored elsewhere. */
  trim(nonce: number): void;
  close(): void;
}

/** Most rows that `trim` leaves, in memory and on disk. */
export const RAW_ROWS_MAX = 10_000;
/** Superfluous rows in a file after which it is rewritten. */
const TRIM_SLACK_ROWS = 2_000;

const fdatasyncAsync = promisify(fdatasync);

/** An open file that is closed after its last sync. */
interface Handle {
  readonly fd: number;
  syncing: number;
  isRetired: boolean;
}

/**
 * Opens the journal in a file. A torn last line from an interrupted write is dropped.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
export function openRawJournal(file: string): RawJournal {
  let rows = readRawRows(file);
  let handle = rewriteFile(file, rows);
  const replaceRows = (newRows: readonly RawTransaction[]) => {
    rows = [...newRows];
    const old = handle;
    handle = rewriteFile(file, rows);
    closeAfterSyncs(old);
  };
  return {
    append: async (added) => {
      const current = handle;
      writeRows(current.fd, added);
      rows.push(...added);
      current.syncing += 1;
      try {
        await fdatasyncAsync(current.fd);
      } finally {
        current.syncing -= 1;
        if (current.isRetired) closeAfterSyncs(current);
      }
    },
    drop: (hash) => replaceRows(rows.filter((row) => row.hash !== hash)),
    hashesOf: (key) => rows.filter((row) => row.key === key).map((row) => row.hash),
    rows: () => rows,
    remove: (hashes) => replaceRows(rows.filter((row) => !hashes.has(row.hash))),
    trim: (nonce) => {
      const old = rows.findIndex((row) => row.nonce >= nonce);
      const doneCount = old === -1 ? rows.length : old;
      // Done rows still answer `hashesOf`, so the last of them stay while there is capacity.
      const surplus = Math.min(doneCount, rows.length - RAW_ROWS_MAX);
      if (surplus > TRIM_SLACK_ROWS) replaceRows(rows.slice(surplus));
    },
    close: () => {
      if (!handle.isRetired) closeAfterSyncs(handle);
    },
  };
}

/**
 * Closes the file after running syncs. Closing it earlier would make a sync fail or hit a reused
 * descriptor.
 */
function closeAfterSyncs(handle: Handle): void {
  handle.isRetired = true;
  if (handle.syncing === 0) closeSync(handle.fd);
}

/**
 * Reads the rows of a journal. A torn last line from an interrupted write is skipped.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
function readRawRows(file: string): RawTransaction[] {
  return readJsonLines(file, RawTransaction);
}

/**
 * Checks that every row matches its hash, which reveals a changed digit.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
export function verifyRawRows(file: string): void {
  for (const [at, { hash, raw }] of readRawRows(file).entries()) {
    if (keccak256(raw) === hash) continue;
    throw new AppError('DATA_DAMAGED', {
      message: `The transaction in line ${at + 1} does not match its hash.`,
      data: { file, line: at + 1 },
    });
  }
}

/** Writes all rows or none: half a line would damage the next one. */
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

function rewriteFile(file: string, rows: readonly RawTransaction[]): Handle {
  const draft = openSync(`${file}.new`, 'w', 0o600);
  writeRows(draft, rows);
  fsyncSync(draft);
  closeSync(draft);
  renameSync(`${file}.new`, file);
  return { fd: openSync(file, 'a', 0o600), syncing: 0, isRetired: false };
}
