import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { OperatorNotice } from '../../actors/notification/operator.ts';
import { onThreadFault } from '../../system/thread-faults.ts';
import { type Stall, watchEventLoop } from '../../system/watchdog.ts';

/** File of the data directory that says why the last process ended by itself. */
export const END_FILE = 'last-end.json';
/** Lines about stalls and faults in one minute; the rest is counted. */
const LINES_A_MINUTE = 6;
const MINUTE_MS = 60_000;
const TEXT_CHARS_MAX = 2_000;
/** Errors of a system without descriptors: whoever met one did nothing yet and is asked again. */
const SPARED_CODES: readonly string[] = ['EMFILE', 'ENFILE'];

const End = z.object({ at: z.number(), why: z.string() });

/** How often the event loop was blocked so far, and for how long in all, in milliseconds. */
export interface Stalls {
  readonly count: number;
  readonly blockedMs: number;
}

/** A server that shares its process with others leaves the process alone. */
export const UNWATCHED: Pick<ProcessWatch, 'stalls'> = {
  stalls: () => ({ count: 0, blockedMs: 0 }),
};

/** What a process knows of its own health. */
export interface ProcessWatch {
  /** Has the operator told of what happens, and of what the last process ended by. */
  tell(raise: (notice: OperatorNotice) => void): void;
  readonly stalls: () => Stalls;
  stop(): Promise<void>;
}

/** What a process is watched with. */
export interface ProcessWatchParts {
  readonly dataDir: string;
  /** Told what an operator should read; one line each. */
  readonly notice: (line: string) => void;
}

/**
 * Watches this process: a blocked event loop, threads that crash, and errors that nobody has
 * caught. An error that nobody caught ends the process at once, without an orderly close, so that
 * the effects at work are counted as those that it died of; an unhandled rejection is told of and
 * the process goes on, since nothing but its own chain of calls has ended.
 */
export function watchProcess(parts: ProcessWatchParts): ProcessWatch {
  const watch = new Watch(parts);
  watch.start();
  return watch;
}

class Watch implements ProcessWatch {
  readonly #parts: ProcessWatchParts;
  readonly #endFile: string;
  readonly #waiting: OperatorNotice[] = [];
  #raise: ((notice: OperatorNotice) => void) | undefined;
  #stopLoop: () => Promise<void> = async () => undefined;
  #minuteEnds = 0;
  #lines = 0;
  #count = 0;
  #blockedMs = 0;
  readonly #rejected = (reason: unknown): void => {
    this.#say('unhandled', `a rejection was not handled: ${readStack(reason)}`, 'P1');
  };
  readonly #uncaught = (fault: unknown): void => {
    if (SPARED_CODES.includes(readErrorCode(fault))) {
      this.#say('uncaught', `an error was not caught: ${readStack(fault)}`, 'P1');
      return;
    }
    this.#end(`an error was not caught: ${readStack(fault)}`);
  };

  constructor(parts: ProcessWatchParts) {
    this.#parts = parts;
    this.#endFile = join(parts.dataDir, END_FILE);
  }

  start(): void {
    process.on('unhandledRejection', this.#rejected);
    process.on('uncaughtException', this.#uncaught);
    onThreadFault((text) => this.#say('thread', text, 'P1'));
    this.#stopLoop = watchEventLoop({
      endFile: this.#endFile,
      onStall: (stall) => this.#stalled(stall),
      onFailed: (cause) => this.#say('watchdog', `the watchdog failed: ${readStack(cause)}`, 'P1'),
    });
  }

  tell(raise: (notice: OperatorNotice) => void): void {
    this.#raise = raise;
    const last = takeEnd(this.#endFile);
    if (last !== undefined) {
      const title = 'the last process ended by itself';
      this.#parts.notice(`${title}: ${last.why}`);
      raise({ key: `process:end:${last.at}`, severity: 'P0', title, text: last.why });
    }
    for (const notice of this.#waiting.splice(0)) raise(notice);
  }

  readonly stalls = (): Stalls => ({ count: this.#count, blockedMs: this.#blockedMs });

  async stop(): Promise<void> {
    process.off('unhandledRejection', this.#rejected);
    process.off('uncaughtException', this.#uncaught);
    onThreadFault(undefined);
    await this.#stopLoop();
  }

  #stalled({ blockedMs, cpuMs, found }: Stall): void {
    this.#count += 1;
    this.#blockedMs += blockedMs;
    const time = `${(blockedMs / 1000).toFixed(1)} s (${(cpuMs / 1000).toFixed(1)} s of processor)`;
    this.#say('stall', `the event loop was blocked for ${time}: ${found}`, 'P1');
  }

  /** One line, and one notice to the operator; many in one minute are counted alone. */
  #say(what: string, text: string, severity: OperatorNotice['severity']): void {
    const now = Date.now();
    if (now >= this.#minuteEnds) {
      if (this.#lines > LINES_A_MINUTE) {
        this.#parts.notice(`${this.#lines - LINES_A_MINUTE} more such lines were left out`);
      }
      this.#minuteEnds = now + MINUTE_MS;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > LINES_A_MINUTE) return;
    const line = text.replaceAll('\n', ' ').slice(0, TEXT_CHARS_MAX);
    this.#parts.notice(line);
    const title = `the process is not well: ${what}`;
    const notice = { key: `process:${what}:${now}`, severity, title, text: line };
    if (this.#raise !== undefined) this.#raise(notice);
    else if (this.#waiting.length < LINES_A_MINUTE) this.#waiting.push(notice);
  }

  #end(why: string): void {
    this.#parts.notice(`cannot go on: ${why}`);
    try {
      writeFileSync(this.#endFile, JSON.stringify({ at: Date.now(), why }), { mode: 0o600 });
    } catch {
      // Standard error has it; a full disk must not keep the process from its end.
    }
    process.exit(1);
  }
}

/** Reads why the last process ended, once. */
function takeEnd(path: string): z.infer<typeof End> | undefined {
  try {
    const read = End.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    rmSync(path, { force: true });
    return read.data === undefined
      ? undefined
      : { ...read.data, why: read.data.why.slice(0, TEXT_CHARS_MAX) };
  } catch {
    // There is none, or it was cut short by the end that it tells of.
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
