import { appendFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { RequestRow } from '../domain/hosting/telemetry/request-row.ts';

/** Size at which a spool file is closed and the next one started, in bytes. */
export const SPOOL_FILE_BYTES = 8 * 1_024 * 1_024;
/** Maximum spool files kept without a reader; the oldest are removed first. */
export const SPOOL_FILES_MAX = 16;
/** Maximum rows waiting for the disk; more are dropped and counted. */
const WAITING_MAX = 50_000;
/** How long rows are collected before they are written, in milliseconds. */
const BATCH_MS = 50;
const NAME = /^requests-\d{13}-\d{6}\.jsonl$/;

/**
 * Appends one line per answered request to spool files. The reader consumes whole lines by file and
 * offset. It removes a completely read file once there is a later one.
 */
export class RequestSpool {
  readonly #folder: string;
  readonly #epoch: string;
  #number = 0;
  #bytes = 0;
  #waiting: string[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #serialize = pLimit(1);

  /** @param now - Start of this process's file names, so that later processes sort after it. */
  constructor(folder: string, now: number) {
    this.#folder = folder;
    this.#epoch = String(Math.trunc(now)).padStart(13, '0');
  }

  /** Number of rows dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  add(row: RequestRow): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(JSON.stringify(row));
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_MS);
  }

  /**
   * Writes the waiting rows. If the disk rejects them, the rows are lost but the service continues.
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#serialize(() => this.#write());
  }

  async #write(): Promise<void> {
    const rows = this.#waiting;
    if (rows.length === 0) return;
    this.#waiting = [];
    const text = `${rows.join('\n')}\n`;
    try {
      if (this.#number === 0 || this.#bytes >= SPOOL_FILE_BYTES) await this.#rotate();
      await appendFile(join(this.#folder, this.#name), text, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(text);
    } catch {
      this.#dropped += rows.length;
      // Part of the text may have been written, so the next rows start a new file.
      this.#bytes = SPOOL_FILE_BYTES;
    }
  }

  async #rotate(): Promise<void> {
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
