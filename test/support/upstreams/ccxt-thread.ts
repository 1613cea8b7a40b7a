import { CcxtThread } from '../../../src/providers/market/ccxt/ccxt-thread.ts';
import { realClock } from '../real-clock.ts';

/** One for all tests of a file: its start takes longer than most of them. */
export const ccxtThread = new CcxtThread(realClock, { callMs: 60_000 });
