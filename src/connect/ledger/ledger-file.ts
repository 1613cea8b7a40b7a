import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { LedgerFold } from './fold.ts';
import { type LedgerRow, readRow } from './rows.ts';

/** Most bytes of one month; then nothing more is paid in it. About 60,000 payments. */
export const LEDGER_BYTES_MAX = 64 * 1024 * 1024;

const APPEND_ATTEMPTS = 3;
const CHUNK_BYTES = 65_536;
/** No row is longer; what is, such as blocks that a power cut has left empty, is skipped. */
const ROW_BYTES_MAX = 262_144;
const NEWLINE = 10;

/**
 * One month of the ledger: JSON lines that several processes append to. A row is one write at the
 * end of the file, which the kernel does not mix with others, and is flushed and read back before
 * anybody relies on it. A line that a crash has torn is skipped, and so is what was glued to it:
 * its writer sees that its row is missing when it reads back, and writes it again.
 */
export class LedgerFile {
  readonly #file: number;
  readonly #fold = new LedgerFold();
  #offset = 0;
  #rest: Buffer = Buffer.alloc(0);
  #unreadable = 0;

  /** Opens the file, made with mode 0600 when it is not there. */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#file = openSync(path, 'a+', 0o600);
    flushFolder(dirname(path));
  }

  /** The rows of all processes up to now. */
  read(): LedgerFold {
    this.#refresh(undefined);
    return this.#fold;
  }

  /** Lines that are no rows, such as one that a crash has torn. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /**
   * Appends a row. When this returns it is on disk and part of {@link read}.
   *
   * @throws {AppError} `STORE_FULL` when the disk or the month is full.
   */
  append(row: LedgerRow): void {
    const line = JSON.stringify(row);
    if (fstatSync(this.#file).size + line.length > LEDGER_BYTES_MAX) throw full(undefined);
    for (let attempt = 0; attempt < APPEND_ATTEMPTS; attempt += 1) {
      this.#write(`${line}\n`);
      if (this.#refresh(line)) return;
    }
    throw full(undefined);
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(text: string): void {
    try {
      const bytes = Buffer.from(text);
      if (writeSync(this.#file, bytes) !== bytes.length) throw full(undefined);
      fsyncSync(this.#file);
    } catch (cause) {
      throw cause instanceof AppError ? cause : full(cause);
    }
  }

  /** Takes in what is new; tells whether the given line was among it. */
  #refresh(wanted: string | undefined): boolean {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let isFound = false;
    for (;;) {
      const length = readSync(this.#file, chunk, 0, CHUNK_BYTES, this.#offset);
      if (length === 0) return isFound;
      this.#offset += length;
      const bytes = Buffer.concat([this.#rest, chunk.subarray(0, length)]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      this.#rest = this.#kept(bytes.subarray(end));
      for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
        if (line === wanted) isFound = true;
        this.#take(line);
      }
    }
  }

  #kept(rest: Buffer): Buffer {
    if (rest.length <= ROW_BYTES_MAX) return rest;
    this.#unreadable += 1;
    return Buffer.alloc(0);
  }

  #take(line: string): void {
    if (line === '') return;
    const row = readRow(line);
    if (row === undefined) this.#unreadable += 1;
    else this.#fold.add(row);
  }
}

/** A name in a folder lasts only when the folder is flushed; Windows has no such call. */
function flushFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function full(cause: unknown): AppError {
  return new AppError('STORE_FULL', {
    message: 'The ledger of the wallet cannot be written; nothing was paid.',
    cause,
  });
}
