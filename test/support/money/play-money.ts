import { seeded } from '../seeded.ts';
import type { Death } from './faulty-node.ts';
import { MoneyRun } from './money-run.ts';
import type { MoneyWorld } from './money-world.ts';
import {
  playDecided,
  playExpired,
  playGiveBack,
  playOrphan,
  playRelease,
  playUnfulfilled,
} from './play-jobs.ts';
import {
  playBrought,
  playLateMoney,
  playRefund,
  playRunningOut,
  playSettlement,
  playTwoAtOnce,
} from './play-payments.ts';
import { playAnchors, playPassport } from './play-registries.ts';

/** What a run came to, where it went wrong. */
export interface RunReport {
  readonly seed: number;
  readonly kind: string;
  readonly faults: readonly string[];
}

/** Kinds of runs by their names. */
export type Kinds = Readonly<Record<string, (run: MoneyRun) => Promise<void>>>;

/** Which runs are played. */
export interface RunOrder {
  readonly kinds: Kinds;
  /** One for each run. */
  readonly seeds: readonly number[];
}

/** What all runs came to. */
export interface PlayedRuns {
  readonly runs: number;
  readonly wrong: readonly RunReport[];
  /** How many runs, faults and ends of lives there were, in words. */
  readonly told: string;
}

/** Payments, and what may come between. */
export const PAYMENTS: Kinds = {
  settlement: playSettlement,
  late_money: playLateMoney,
  brought: playBrought,
  running_out: playRunningOut,
  two_at_once: playTwoAtOnce,
  refund: playRefund,
};
/** Jobs in the escrow, agents, and roots of a log. */
export const JOBS: Kinds = {
  release: playRelease,
  give_back: playGiveBack,
  decided: playDecided,
  expired: playExpired,
  unfulfilled: playUnfulfilled,
  orphan: playOrphan,
  passport: playPassport,
  anchors: playAnchors,
};

/** Runs of the short suite, of the long one, and of one in which a fix was removed. */
const RUNS = { short: 1_000, long: 10_000, removed: 400 } as const;
/** Wrong runs after which no more are played. */
const WRONG_MAX = 5;
/** Runs between two lines of progress. */
const PROGRESS_RUNS = 500;

/**
 * Plans the runs of this suite; `STOA_SEED` plays one alone.
 *
 * @param onceWrong - Seeds that the short suite plays as well, since they found something once.
 */
export function planRuns(kinds: Kinds, onceWrong: readonly number[] = []): RunOrder {
  const { STOA_SEED, STOA_LONG, STOA_ADVERSARY_S } = process.env;
  if (STOA_SEED !== undefined) return { kinds, seeds: [Number(STOA_SEED)] };
  const suite = STOA_LONG === 'all' ? 'long' : 'short';
  const runs = RUNS[STOA_ADVERSARY_S === undefined ? suite : 'removed'];
  const seeds = Array.from({ length: runs }, (_, seed) => seed);
  return { kinds, seeds: [...seeds, ...onceWrong.filter((seed) => seed >= runs)] };
}

/** Plays runs on one node, one after the other. */
export async function playMoney(world: MoneyWorld, order: RunOrder): Promise<PlayedRuns> {
  const names = Object.keys(order.kinds);
  const wrong: RunReport[] = [];
  const deaths: Death[] = [];
  const begun = process.hrtime.bigint();
  let runs = 0;
  for (const seed of order.seeds) {
    if (wrong.length === WRONG_MAX) break;
    runs += 1;
    const kind = names[seed % names.length] ?? '';
    world.chance.next = seeded(seed);
    await world.reset();
    const run = new MoneyRun(world);
    await world.time.until(play(run, order.kinds[kind])).catch((thrown: unknown) => {
      run.faults.push(thrown instanceof Error ? `${thrown.stack}` : String(thrown));
    });
    await run.end();
    deaths.push(...run.deaths);
    if (run.faults.length > 0) wrong.push({ seed, kind, faults: run.faults });
    if (runs % PROGRESS_RUNS === 0) process.stdout.write(`${runs} runs, ${wrong.length} wrong\n`);
  }
  const tookS = Number(process.hrtime.bigint() - begun) / 1e9;
  const ends = { faults: world.faulty.played, deaths: countDeaths(deaths) };
  return { runs, wrong, told: `${runs} runs in ${tookS.toFixed(0)} s, ${JSON.stringify(ends)}` };
}

async function play(run: MoneyRun, act: Kinds[string] | undefined): Promise<void> {
  await run.begin();
  await act?.(run);
  await run.audit();
}

/** Counts where lives ended, by the request before which or after which they did. */
function countDeaths(deaths: readonly Death[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { method, isBefore } of deaths) {
    const name = `${isBefore ? 'before' : 'after'} ${method}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
