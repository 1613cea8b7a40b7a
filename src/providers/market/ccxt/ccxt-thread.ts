import { z } from 'zod';
import type { Clock } from '../../../domain/common/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { FurtherExchange } from '../../../domain/market/exchanges.ts';
import { KeptThreads } from '../../data/kept-threads.ts';
import type { Parsed, UpstreamAnswer } from '../../data/upstream-reader.ts';
import { codeOfCcxt } from './ccxt-errors.ts';
import { CCXT_PROGRAM } from './ccxt-program.ts';

/** Milliseconds for one call in the thread, the thread's start included. */
export const CCXT_CALL_MS = 8 * SECOND_MS;
/** How long the thread is kept without a call, in milliseconds. */
export const CCXT_IDLE_MS = MINUTE_MS;
/** Calls that one thread does: what `ccxt` keeps of each pair is bounded by this. */
export const CCXT_CALLS_MAX = 5_000;
/** Memory of the thread, in MB; with all exchanges of the table it takes about 40. */
export const CCXT_MEMORY_MB = 192;
/** Calls that wait for the thread at the most; more are refused. */
export const CCXT_WAITING_MAX = 200;

/** A market as `ccxt` has them, and what is asked of it. */
export interface CcxtCall {
  readonly venue: FurtherExchange;
  readonly market: Readonly<Record<string, string | boolean>>;
  readonly method: 'fetchTicker' | 'fetchOrderBook' | 'fetchOHLCV';
  readonly args: readonly unknown[];
  /** Milliseconds; what the exchange's code takes for the time. */
  readonly now: number;
}

/** Where the modules of exchanges lie and how long a call may take, for tests. */
export interface CcxtSettings {
  /** Address of the folder, with a slash at its end. */
  readonly folder?: string;
  readonly callMs?: number;
}

const Said = z.object({
  url: z.string().optional(),
  value: z.unknown().optional(),
  name: z.string().optional(),
  why: z.string().optional(),
});
type Said = z.infer<typeof Said>;

const SLOW = 'It takes too long or too much memory to be read.';

/**
 * The thread that `ccxt` runs in. It is made for the first call and let go when there was none for
 * a while; one that hangs is ended. It fetches nothing by itself.
 */
export class CcxtThread {
  readonly #threads: KeptThreads;

  constructor(clock: Clock, { folder = modules(), callMs = CCXT_CALL_MS }: CcxtSettings = {}) {
    this.#threads = new KeptThreads(clock, {
      ...{ program: CCXT_PROGRAM, data: { folder }, memoryMb: CCXT_MEMORY_MB },
      ...{ timeMs: callMs, idleMs: CCXT_IDLE_MS, tasksMax: CCXT_CALLS_MAX },
      ...{ threads: 1, waitingMax: CCXT_WAITING_MAX },
    });
  }

  /** Whether it is there now. */
  get isLoaded(): boolean {
    return this.#threads.count > 0;
  }

  /** The address that a call asks for. Never throws for what a call does. */
  async addressOf(call: CcxtCall): Promise<Parsed<string>> {
    if (this.#threads.isFull) return down('Too much is being read here; try again.');
    const said = await this.#ask(call);
    if (said === undefined) return down(SLOW);
    return said.url === undefined ? down(`ccxt: ${said.name}.`) : { value: said.url };
  }

  /** What a call makes of the answer from its address. Never throws for what an answer does. */
  async parse<T>(
    call: CcxtCall,
    { status, body, json }: UpstreamAnswer,
    schema: z.ZodType<T>,
  ): Promise<Parsed<T>> {
    // A body that is cut off would be taken for one without figures.
    if (json() === undefined) return { fault: 'upstream_bad_payload', why: 'It is no JSON.' };
    const said = await this.#ask(call, { status, text: new TextDecoder().decode(body) });
    if (said === undefined) return { fault: 'upstream_bad_payload', why: SLOW };
    const { name, why = '' } = said;
    if (name !== undefined) {
      return { fault: codeOfCcxt({ name, why }, status), why: `HTTP ${status}, ${name}.` };
    }
    const { data } = schema.safeParse(said.value);
    if (data !== undefined) return { value: data };
    return { fault: 'upstream_bad_payload', why: 'The answer does not fit.' };
  }

  async #ask(
    call: CcxtCall,
    answer?: { readonly status: number; readonly text: string },
  ): Promise<Said | undefined> {
    return Said.safeParse(await this.#threads.ask({ ...call, answer })).data;
  }
}

function down(why: string) {
  return { fault: 'upstream_unavailable', why } as const;
}

/** Its package names no paths to single exchanges, and all of them together take much more. */
function modules(): string {
  return new URL('./src/', import.meta.resolve('ccxt')).href;
}
