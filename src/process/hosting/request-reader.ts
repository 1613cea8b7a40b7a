import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../domain/common/clock.ts';
import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type {
  HostingLogs,
  HostingMetrics,
} from '../../domain/hosting/telemetry/hosting-telemetry.ts';
import {
  createRequestRecorder,
  type RequestRecorder,
  type SpoolLine,
} from '../../store/hosting/hosting-requests.ts';

/** Interval of spool reads, in milliseconds. */
const POLL_MS = 250;
/** Interval at which served services are recorded in the metrics, in milliseconds. */
const OBSERVE_MS = 10 * SECOND_MS;
/** Bytes per read. A row of the router is shorter. */
const READ_BYTES = 512 * 1024;
const LINES_MAX = 4_000;
const NEWLINE = 10;

/** The dependencies of the spool reader. */
export interface RequestReaderDeps {
  /** The folder of the spool. */
  readonly folder: string;
  readonly logs: HostingLogs;
  readonly metrics: HostingMetrics;
  /** Returns the ids of the services that are served now. */
  readonly served: () => Promise<readonly string[]>;
  readonly clock: Clock;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/**
 * Imports the router's request rows into logs and metrics, each request once. Deletes files that
 * both have stored. The router continues to write while nobody reads.
 */
export class RequestReader {
  readonly #parts: RequestReaderDeps;
  readonly #recorder: RequestRecorder;
  /** The position handed over per source. Metrics reach the disk half a minute later. */
  readonly #positions = new Map<string, number>();
  #cancel: () => void = () => undefined;
  #reading: Promise<void> = Promise.resolve();
  #observedAt = 0;
  #isStopped = false;

  constructor(parts: RequestReaderDeps) {
    this.#parts = parts;
    this.#recorder = createRequestRecorder(parts.logs, parts.metrics);
    this.#schedule();
  }

  /** Imports everything that is there now. */
  async importAll(): Promise<void> {
    const names = this.#names();
    for (const [at, name] of names.entries()) {
      while (await this.#importNext(name)) if (this.#isStopped) return;
      if (at < names.length - 1) await this.#remove(name);
    }
  }

  /** Imports the rest and stops. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#reading;
    await this.importAll();
    this.#isStopped = true;
  }

  #schedule(): void {
    const { clock, notice } = this.#parts;
    this.#cancel = clock.at(clock.now() + POLL_MS, () => {
      this.#reading = this.#poll()
        .catch((thrown: unknown) => notice(`requests: ${toAppError(thrown).message}`))
        .finally(() => {
          if (!this.#isStopped) this.#schedule();
        });
    });
  }

  async #poll(): Promise<void> {
    const { clock, metrics, served } = this.#parts;
    await this.importAll();
    const now = clock.now();
    if (now - this.#observedAt < OBSERVE_MS) return;
    this.#observedAt = now;
    for (const id of await served()) metrics.markObserved(id, now);
  }

  /** Imports the next rows. Returns whether there may be more. */
  async #importNext(name: string): Promise<boolean> {
    const source = sourceOf(name);
    const from = this.#positions.get(source) ?? this.#recorder.taken(source);
    const lines = splitLines(readFrom(join(this.#parts.folder, name), from), from);
    const end = lines.at(-1)?.end;
    if (end === undefined) return false;
    const { unreadable } = await this.#recorder.append(source, lines);
    this.#positions.set(source, end);
    if (unreadable > 0) this.#parts.notice(`requests: ${unreadable} unreadable rows`);
    return true;
  }

  /**
   * Deletes a file that logs and metrics have stored completely. A later file exists, so this one
   * no longer grows.
   */
  async #remove(name: string): Promise<void> {
    const { folder, logs } = this.#parts;
    const source = sourceOf(name);
    if (this.#recorder.taken(source) < logs.storedUntil(source)) return;
    rmSync(join(folder, name), { force: true });
    this.#positions.delete(source);
    await logs.forget(source);
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#parts.folder).sort();
    } catch {
      return [];
    }
  }
}

function sourceOf(name: string): string {
  return `router/${name}`;
}

function splitLines(bytes: Buffer, from: number): readonly SpoolLine[] {
  const lines: SpoolLine[] = [];
  let start = 0;
  while (lines.length < LINES_MAX) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1) break;
    lines.push({ end: from + end + 1, text: bytes.toString('utf8', start, end) });
    start = end + 1;
  }
  return lines;
}

function readFrom(path: string, from: number): Buffer {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(READ_BYTES);
    return bytes.subarray(0, readSync(fd, bytes, 0, READ_BYTES, from));
  } finally {
    closeSync(fd);
  }
}
