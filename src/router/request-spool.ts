import { appendFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestRow } from '../domain/hosting/telemetry/request-row.ts';

/** Bytes after which a spool file is ended and the next one begun. */
export const SPOOL_FILE_BYTES = 8 * 1_024 * 1_024;
/** Spool files that are kept while nobody reads them; the oldest goes first. */
export const SPOOL_FILES_MAX = 16;
/** Rows that may wait for the disk; more are dropped and counted. */
const WAITING_MAX = 50_000;
/** How long rows are gathered before they are written, in milliseconds. */
const GATHER_MS = 50;
const NAME = /^requests-\d{13}-\d{6}\.jsonl$/;

/**
 * Writes one line for each answered request into files that only grow. The reader takes whole lines
 * by file and offset, and removes files that it has read to their end once there is a later one.
 */
export class RequestSpool {
  readonly #folder: string;
  readonly #epoch: string;
  #number = 0;
  #bytes = 0;
  #waiting: string[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** @param now - Begins the names of the files of this process; later ones sort after it. */
  constructor(folder: string, now: number) {
    this.#folder = folder;
    this.#epoch = String(Math.trunc(now)).padStart(13, '0');
  }

  /** Rows that found no room since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  add(row: RequestRow): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(JSON.stringify(row));
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Writes what waits. A disk that refuses it costs the rows, never the service. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const rows = this.#waiting;
    if (rows.length === 0) return;
    this.#waiting = [];
    const text = `${rows.join('\n')}\n`;
    try {
      if (this.#number === 0 || this.#bytes >= SPOOL_FILE_BYTES) await this.#turn();
      await appendFile(join(this.#folder, this.#name), text, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(text);
    } catch {
      this.#dropped += rows.length;
      // A part of the text may be there: the next rows begin a file of their own.
      this.#bytes = SPOOL_FILE_BYTES;
    }
  }

  async #turn(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#number += 1;
    this.#bytes = 0;
    const files = (await readdir(this.#folder)).filter((name) => NAME.test(name)).sort();
    for (const name of files.slice(0, Math.max(0, files.length - SPOOL_FILES_MAX + 1))) {
      await rm(join(this.#folder, name), { force: true });
    }
  }

  get #name(): string {
    return `requests-${this.#epoch}-${String(this.#number).padStart(6, '0')}.jsonl`;
  }
}
