import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { OperatorNotice } from '../../actors/notification/operator-notices.ts';
import { onThreadCrash } from '../../system/thread-crashes.ts';
import { type Stall, watchEventLoop } from '../../system/watchdog.ts';

/** The file in the data directory with the reason of the last unexpected exit. */
export const LAST_EXIT_FILE = 'last-end.json';
/** Most lines per minute about stalls and failures. Further ones are only counted. */
const LINES_A_MINUTE = 6;
const MINUTE_MS = 60_000;
const TEXT_CHARS_MAX = 2_000;
/** Errors for lack of descriptors. The failed operation had no effect and will be retried. */
const NON_FATAL_CODES: readonly string[] = ['EMFILE', 'ENFILE'];

const End = z.object({ at: z.number(), why: z.string() });

/** How often the event loop was blocked, and the total time in milliseconds. */
export interface Stalls {
  readonly count: number;
  readonly blockedMs: number;
}

/** The watch of a server that shares its process, which it must not monitor. */
export const UNMONITORED: Pick<ProcessMonitor, 'stalls'> = {
  stalls: () => ({ count: 0, blockedMs: 0 }),
};

/** Monitors the health of the process. */
export interface ProcessMonitor {
  /** Sends notices to the operator, including the reason of the last unexpected exit. */
  setNotifier(raise: (notice: OperatorNotice) => void): void;
  readonly stalls: () => Stalls;
  stop(): Promise<void>;
}

/** The dependencies of the watch. */
export interface ProcessWatchDeps {
  readonly dataDir: string;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/**
 * Monitors this process: a blocked event loop, crashed threads, and uncaught errors. An uncaught
 * error ends the process at once without a shutdown, so that running effects count as its possible
 * cause. An unhandled rejection is only reported, because it ends only its own call chain.
 */
export function monitorProcess(parts: ProcessWatchDeps): ProcessMonitor {
  const watch = new Monitor(parts);
  watch.start();
  return watch;
}

class Monitor implements ProcessMonitor {
  readonly #parts: ProcessWatchDeps;
  readonly #endFile: string;
  readonly #waiting: OperatorNotice[] = [];
  #raise: ((notice: OperatorNotice) => void) | undefined;
  #stopLoop: () => Promise<void> = async () => undefined;
  #minuteEnds = 0;
  #lines = 0;
  #count = 0;
  #blockedMs = 0;
  readonly #onRejection = (reason: unknown): void => {
    this.#report('unhandled', `unhandled rejection: ${readStack(reason)}`, 'P1');
  };
  readonly #onUncaught = (fault: unknown): void => {
    if (NON_FATAL_CODES.includes(readErrorCode(fault))) {
      this.#report('uncaught', `uncaught error: ${readStack(fault)}`, 'P1');
      return;
    }
    this.#exit(`uncaught error: ${readStack(fault)}`);
  };

  constructor(parts: ProcessWatchDeps) {
    this.#parts = parts;
    this.#endFile = join(parts.dataDir, LAST_EXIT_FILE);
  }

  start(): void {
    process.on('unhandledRejection', this.#onRejection);
    process.on('uncaughtException', this.#onUncaught);
    onThreadCrash((text) => this.#report('thread', text, 'P1'));
    this.#stopLoop = watchEventLoop({
      endFile: this.#endFile,
      onStall: (stall) => this.#onStall(stall),
      onFailed: (cause) =>
        this.#report('watchdog', `the watchdog failed: ${readStack(cause)}`, 'P1'),
    });
  }

  setNotifier(raise: (notice: OperatorNotice) => void): void {
    this.#raise = raise;
    const last = readLastExit(this.#endFile);
    if (last !== undefined) {
      const title = 'the last process exited unexpectedly';
      this.#parts.notice(`${title}: ${last.why}`);
      raise({ key: `process:end:${last.at}`, severity: 'P0', title, text: last.why });
    }
    for (const notice of this.#waiting.splice(0)) raise(notice);
  }

  readonly stalls = (): Stalls => ({ count: this.#count, blockedMs: this.#blockedMs });

  async stop(): Promise<void> {
    process.off('unhandledRejection', this.#onRejection);
    process.off('uncaughtException', this.#onUncaught);
    onThreadCrash(undefined);
    await this.#stopLoop();
  }

  #onStall({ blockedMs, cpuMs, found }: Stall): void {
    this.#count += 1;
    this.#blockedMs += blockedMs;
    const time = `${(blockedMs / 1000).toFixed(1)} s (${(cpuMs / 1000).toFixed(1)} s of CPU time)`;
    this.#report('stall', `the event loop was blocked for ${time}: ${found}`, 'P1');
  }

  /**
   * Reports one line and one operator notice. Beyond the limit per minute, lines are only counted.
   */
  #report(what: string, text: string, severity: OperatorNotice['severity']): void {
    const now = Date.now();
    if (now >= this.#minuteEnds) {
      if (this.#lines > LINES_A_MINUTE) {
        this.#parts.notice(`${this.#lines - LINES_A_MINUTE} more lines were omitted`);
      }
      this.#minuteEnds = now + MINUTE_MS;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > LINES_A_MINUTE) return;
    const line = text.replaceAll('\n', ' ').slice(0, TEXT_CHARS_MAX);
    this.#parts.notice(line);
    const title = `process problem: ${what}`;
    const notice = { key: `process:${what}:${now}`, severity, title, text: line };
    if (this.#raise !== undefined) this.#raise(notice);
    else if (this.#waiting.length < LINES_A_MINUTE) this.#waiting.push(notice);
  }

  #exit(why: string): void {
    this.#parts.notice(`exiting: ${why}`);
    try {
      writeFileSync(this.#endFile, JSON.stringify({ at: Date.now(), why }), { mode: 0o600 });
    } catch {
      // Standard error has the reason. A full disk must not prevent the exit.
    }
    process.exit(1);
  }
}

/** Reads the reason of the last exit, and deletes it. */
function readLastExit(path: string): z.infer<typeof End> | undefined {
  try {
    const read = End.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    rmSync(path, { force: true });
    return read.data === undefined
      ? undefined
      : { ...read.data, why: read.data.why.slice(0, TEXT_CHARS_MAX) };
  } catch {
    // The file is missing, or the exit interrupted the write.
    rmSync(path, { force: true });
    return undefined;
  }
}

function readStack(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

function readErrorCode(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
