import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { LedgerState } from './ledger-state.ts';
import { type LedgerRow, parseRow } from './rows.ts';

/** Most bytes per month, about 60,000 payments. When it is reached, the wallet stops paying. */
export const LEDGER_BYTES_MAX = 64 * 1024 * 1024;

const APPEND_ATTEMPTS = 3;
const CHUNK_BYTES = 65_536;
/** Longest row. Longer lines, such as zero blocks after a power failure, are skipped. */
const ROW_BYTES_MAX = 262_144;
const NEWLINE = 10;

/**
 * One month of the ledger: JSON lines that several processes append to. Each row is one appending
 * write, which the kernel does not interleave with others. It is flushed and read back before it
 * counts. A line torn by a crash is skipped, together with a row appended to it: the writer of
 * that row finds it missing on reading back, and writes it again.
 */
export class LedgerFile {
  readonly #file: number;
  readonly #fold = new LedgerState();
  #offset = 0;
  #rest: Buffer = Buffer.alloc(0);
  #unreadableLines = 0;

  /** Opens the file; creates it with mode 0600 if it does not exist. */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#file = openSync(path, 'a+', 0o600);
    flushFolder(dirname(path));
  }

  /** Reads the rows that other processes have added, and returns the state. */
  read(): LedgerState {
    this.#refresh(undefined);
    return this.#fold;
  }

  /** Number of lines that are not valid rows, such as a line torn by a crash. */
  get unreadable(): number {
    return this.#unreadableLines;
  }

  /**
   * Appends a row. On return, it is on disk and part of {@link read}.
   *
   * @throws {AppError} `STORE_FULL` if the disk or the month is full.
   */
  append(row: LedgerRow): void {
    const line = JSON.stringify(row);
    if (fstatSync(this.#file).size + line.length > LEDGER_BYTES_MAX) throw storeFull(undefined);
    for (let attempt = 0; attempt < APPEND_ATTEMPTS; attempt += 1) {
      this.#write(`${line}\n`);
      if (this.#refresh(line)) return;
    }
    throw storeFull(undefined);
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(text: string): void {
    try {
      const bytes = Buffer.from(text);
      if (writeSync(this.#file, bytes) !== bytes.length) throw storeFull(undefined);
      fsyncSync(this.#file);
    } catch (cause) {
      throw cause instanceof AppError ? cause : storeFull(cause);
    }
  }

  /** Reads new lines; returns true if the given line was among them. */
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
    this.#unreadableLines += 1;
    return Buffer.alloc(0);
  }

  #take(line: string): void {
    if (line === '') return;
    const row = parseRow(line);
    if (row === undefined) this.#unreadableLines += 1;
    else this.#fold.add(row);
  }
}

/** Makes a new file name durable. Windows has no such call. */
function flushFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function storeFull(cause: unknown): AppError {
  return new AppError('STORE_FULL', {
    message: 'The ledger of the wallet cannot be written, so the wallet did not pay.',
    cause,
  });
}
