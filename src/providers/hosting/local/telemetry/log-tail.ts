import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '../../../../domain/common/clock.ts';
import type { LogIngest, NewLogLine } from '../../../../domain/hosting/telemetry/log-ingest.ts';
import { execFile } from '../../../../system/child.ts';
import { type RunRecord, readRun, readStartWarning } from '../run/run-files.ts';
import type { Runner } from '../run/runner.ts';
import { type LogStamps, openLogStamps } from './log-stamps.ts';

const run = promisify(execFile);
/** Interval between reads of all logs, in milliseconds. */
const POLL_MS = 200;
/** Bytes read per log and read, and the maximum length of a line. */
const READ_BYTES = 256 * 1024;
const LINE_BYTES_MAX = 16 * 1024;
const LINES_MAX = 4_000;
/** Maximum reads of one log per interval, so that an endless one does not delay the others. */
const READS_MAX = 4;
/** Unread bytes above which most are skipped, and bytes kept then. */
const BACKLOG_BYTES_MAX = 64 * 1024 * 1024;
const BACKLOG_BYTES_KEPT = 1024 * 1024;
/** Bytes read after which their disk space is freed. */
const FREE_BYTES = 4 * 1024 * 1024;

/** Dependencies of the log tail. */
export interface LogTailParts {
  readonly runner: Runner;
  readonly logs: LogIngest;
  readonly clock: Clock;
  /** Receives messages for the operator. */
  readonly notice: (line: string) => void;
}

/**
 * Forwards the lines that programs write to the log store, exactly once. The store commits the
 * position of each log with its lines. Disk space of stored parts is freed.
 */
export class LogTail {
  readonly #parts: LogTailParts;
  readonly #records = new Map<string, RunRecord>();
  readonly #freedUpTo = new Map<string, number>();
  #cancel: () => void = () => undefined;
  #forwarding: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: LogTailParts) {
    this.#parts = parts;
    this.#schedule();
  }

  /** Forwards the lines available now; of a fast-growing log, only a part. */
  async forwardAll(): Promise<void> {
    for (const name of this.#parts.runner.names()) {
      await this.#forwardWarning(name);
      for (let at = 0; at < READS_MAX && (await this.#forwardNext(name)); at += 1) {
        if (this.#isStopped) return;
      }
    }
  }

  /** Returns whether a run has ended and all its lines are stored. */
  isForwarded(name: string): boolean {
    const { runner, logs } = this.#parts;
    const record = this.#readRecord(name);
    if (record === undefined) return true;
    return !runner.isRunning(name) && logs.storedUntil(record.token) >= this.#size(name);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#forwarding;
  }

  #schedule(): void {
    const { clock, notice } = this.#parts;
    if (this.#isStopped) return;
    this.#cancel = clock.at(clock.now() + POLL_MS, () => {
      this.#forwarding = this.forwardAll()
        .catch((thrown: unknown) => notice(`service logs: ${String(thrown)}`))
        .finally(() => this.#schedule());
    });
  }

  async #forwardNext(name: string): Promise<boolean> {
    await this.#skipBacklog(name);
    return this.#forward(name);
  }

  /** Forwards the next part of a log; returns whether there may be more. */
  async #forward(name: string): Promise<boolean> {
    const { runner, logs } = this.#parts;
    const record = this.#readRecord(name);
    if (record === undefined) return false;
    const from = logs.storedUntil(record.token);
    // The state is read first, so that everything written before the end is included.
    const isOver = !runner.isRunning(name);
    const { log, stamps } = runner.paths(name);
    const bytes = readFrom(log, from);
    if (bytes.length === 0) return false;
    const isLast = isOver && bytes.length < READ_BYTES;
    using times = openLogStamps(stamps);
    const lines = splitLines(bytes, { from, isOver: isLast, record, times });
    if (lines.length === 0) return false;
    await logs.append(record.token, lines);
    await this.#freeSpace(name, lines.at(-1)?.end ?? from);
    return true;
  }

  /** Writes the host's start warning to the program's log, once. */
  async #forwardWarning(name: string): Promise<void> {
    const { runner, logs } = this.#parts;
    const message = readStartWarning(runner.paths(name));
    const record = message === undefined ? undefined : this.#readRecord(name);
    if (message === undefined || record === undefined) return;
    const source = `${record.token} start`;
    if (logs.storedUntil(source) > 0) return;
    const { service: resource, type, instance } = record;
    const line: NewLogLine = { end: 1, resource, type, message, level: 'warning' };
    await logs.append(source, [instance === undefined ? line : { ...line, instance }]);
  }

  /** Skips the middle of a log that grows faster than it can be read, or it would fill the disk. */
  async #skipBacklog(name: string): Promise<void> {
    const { logs } = this.#parts;
    const record = this.#readRecord(name);
    if (record === undefined) return;
    const from = logs.storedUntil(record.token);
    const size = this.#size(name);
    if (size - from <= BACKLOG_BYTES_MAX) return;
    const { service: resource, type, instance } = record;
    const end = size - BACKLOG_BYTES_KEPT;
    const message = `${end - from} bytes of the log were skipped because it grows too fast`;
    const line: NewLogLine = { end, resource, type, message, level: 'warning' };
    await logs.append(record.token, [instance === undefined ? line : { ...line, instance }]);
    await this.#freeSpace(name, end);
  }

  /** Frees the disk space of the stored part; the log keeps its length, so positions stay valid. */
  async #freeSpace(name: string, forwarded: number): Promise<void> {
    const from = this.#freedUpTo.get(name) ?? 0;
    if (forwarded - from < FREE_BYTES) return;
    this.#freedUpTo.set(name, forwarded);
    const { log } = this.#parts.runner.paths(name);
    const hole = ['--punch-hole', '--offset', '0', '--length', String(forwarded), log];
    // A file system without hole support keeps the bytes.
    await run('fallocate', hole).catch(() => undefined);
  }

  #readRecord(name: string): RunRecord | undefined {
    const known = this.#records.get(name);
    if (known !== undefined) return known;
    const record = readRun(this.#parts.runner.paths(name));
    if (record !== undefined) this.#records.set(name, record);
    return record;
  }

  #size(name: string): number {
    return fileSize(this.#parts.runner.paths(name).log);
  }
}

/** Splits bytes into lines and cuts overlong ones; the end of a run ends its last line. */
function splitLines(
  bytes: Buffer,
  o: {
    readonly from: number;
    readonly isOver: boolean;
    readonly record: RunRecord;
    readonly times: LogStamps;
  },
): readonly NewLogLine[] {
  const { service: resource, type, instance } = o.record;
  const lines: NewLogLine[] = [];
  let start = 0;
  while (start < bytes.length && lines.length < LINES_MAX) {
    const newline = bytes.indexOf(10, start);
    const isWhole = newline !== -1 && newline - start <= LINE_BYTES_MAX;
    const isLong = !isWhole && bytes.length - start > LINE_BYTES_MAX;
    if (!isWhole && !isLong && !o.isOver) break;
    const end = isWhole ? newline : Math.min(bytes.length, start + LINE_BYTES_MAX);
    const message = bytes.toString('utf8', start, end).replace(/\r$/, '');
    const at = o.times.find(o.from + start);
    start = isWhole ? newline + 1 : end;
    const line: NewLogLine = {
      ...(at === undefined ? {} : { at }),
      ...(instance === undefined ? {} : { instance }),
      end: o.from + start,
      resource,
      type,
      message,
    };
    lines.push(line);
  }
  return lines;
}

function readFrom(file: string, from: number): Buffer {
  const fd = tryOpen(file);
  if (fd === undefined) return Buffer.alloc(0);
  try {
    const bytes = Buffer.alloc(READ_BYTES);
    return bytes.subarray(0, readSync(fd, bytes, 0, READ_BYTES, from));
  } finally {
    closeSync(fd);
  }
}

function fileSize(file: string): number {
  const fd = tryOpen(file);
  if (fd === undefined) return 0;
  try {
    return fstatSync(fd).size;
  } finally {
    closeSync(fd);
  }
}

function tryOpen(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}
