import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Clock } from '../../../domain/common/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { CcxtVenueId } from '../../../domain/market/venue/ccxt-venues.ts';
import { findWorker } from '../../../system/find-worker.ts';
import { ThreadPool } from '../../data/thread-pool.ts';
import type { Parsed, UpstreamAnswer } from '../../data/upstream-reader.ts';
import { toFaultCode } from './ccxt-errors.ts';

/** Time limit for one call in milliseconds, including the start of the thread. */
export const CCXT_CALL_MS = 8 * SECOND_MS;
/** How long an idle thread is kept, in milliseconds. */
export const CCXT_IDLE_MS = MINUTE_MS;
/** Most calls of one thread. This limits the data that `ccxt` caches per pair. */
export const CCXT_CALLS_MAX = 5_000;
/** Memory limit of the thread, in MB. With all exchanges of the table it needs about 40. */
export const CCXT_MEMORY_MB = 192;
/** Most calls in the queue. Further ones are rejected. */
export const CCXT_QUEUE_MAX = 200;

/** A market in the form of `ccxt`, and the method to call. */
export interface CcxtCall {
  readonly venue: CcxtVenueId;
  readonly market: Readonly<Record<string, string | boolean>>;
  readonly method: 'fetchTicker' | 'fetchOrderBook' | 'fetchOHLCV';
  readonly args: readonly unknown[];
  /** The time that the exchange code sees, in milliseconds. */
  readonly now: number;
}

/** The module folder and the time limit of a call, for tests. */
export interface CcxtOptions {
  /** URL of the folder, with a trailing slash. */
  readonly folder?: string;
  readonly callMs?: number;
}

const WorkerReply = z.object({
  url: z.string().optional(),
  value: z.unknown().optional(),
  name: z.string().optional(),
  why: z.string().optional(),
});
type WorkerReply = z.infer<typeof WorkerReply>;

const WORKER = 'providers/market/ccxt/ccxt-worker.mjs';
const LIMIT_EXCEEDED = 'Parsing exceeded its limit of time or memory.';

/**
 * The thread that runs `ccxt`. It starts with the first call and stops after an idle period. A
 * hanging call kills it. It sends no requests.
 */
export class CcxtThread {
  readonly #threads: ThreadPool;
  readonly #folder: string;

  constructor(clock: Clock, { folder = moduleFolder(), callMs = CCXT_CALL_MS }: CcxtOptions = {}) {
    this.#folder = folder;
    this.#threads = new ThreadPool(clock, {
      program: { module: WORKER, name: 'callExchange' },
      memoryMb: CCXT_MEMORY_MB,
      timeMs: callMs,
      idleMs: CCXT_IDLE_MS,
      tasksMax: CCXT_CALLS_MAX,
      threads: 1,
      queueMax: CCXT_QUEUE_MAX,
    });
  }

  /** Whether the thread is running. */
  get isLoaded(): boolean {
    return this.#threads.size > 0;
  }

  /** Returns the URL that a call requests. Never throws for a failing call. */
  async findUrl(call: CcxtCall): Promise<Parsed<string>> {
    if (this.#threads.isFull) return unavailable('Too many market requests at once. Retry later.');
    const reply = await this.#ask(call);
    if (reply === undefined) return unavailable(LIMIT_EXCEEDED);
    return reply.url === undefined ? unavailable(`ccxt: ${reply.name}.`) : { value: reply.url };
  }

  /** Parses the answer of a call. Never throws for a bad answer. */
  async parse<T>(
    call: CcxtCall,
    { status, body, json }: UpstreamAnswer,
    schema: z.ZodType<T>,
  ): Promise<Parsed<T>> {
    // A truncated body would look like one without numbers.
    if (json() === undefined) return { fault: 'upstream_bad_payload', why: 'Not valid JSON.' };
    const said = await this.#ask(call, { status, text: new TextDecoder().decode(body) });
    if (said === undefined) return { fault: 'upstream_bad_payload', why: LIMIT_EXCEEDED };
    const { name, why = '' } = said;
    if (name !== undefined) {
      return { fault: toFaultCode({ name, why }, status), why: `HTTP ${status}, ${name}.` };
    }
    const { data } = schema.safeParse(said.value);
    if (data !== undefined) return { value: data };
    return { fault: 'upstream_bad_payload', why: 'The answer has an unexpected form.' };
  }

  async #ask(
    call: CcxtCall,
    answer?: { readonly status: number; readonly text: string },
  ): Promise<WorkerReply | undefined> {
    const result = await this.#threads.run({ ...call, folder: this.#folder, answer });
    return result.ok ? WorkerReply.safeParse(result.answer).data : undefined;
  }
}

function unavailable(why: string) {
  return { fault: 'upstream_unavailable', why } as const;
}

/**
 * Returns the module folder: that of the build, which has only the exchanges of the table, or of
 * the package. `ccxt` exports no single exchanges, and loading all costs much more.
 */
function moduleFolder(): string {
  const worker = pathToFileURL(findWorker(WORKER));
  const joined = new URL('./exchanges/', worker);
  return existsSync(joined) ? joined.href : new URL('./src/', import.meta.resolve('ccxt')).href;
}
