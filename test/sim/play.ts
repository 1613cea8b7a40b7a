import { rangesOf, shrink, stepsOf } from './shrink.ts';
import type { Outcome } from './simulation.ts';
import { simulate } from './simulation.ts';

/** Steps of one seed. Many short lives find more than a long one. */
export const SEED_STEPS = 600;

/** What a play over many seeds came to. */
export interface Played {
  readonly seeds: number;
  readonly steps: number;
  readonly rows: number;
  readonly seconds: number;
  /** How often each kind of step was taken. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Plays seeds until the time or the steps are over.
 *
 * @param seeds - Played in order; stops when it ends.
 * @throws When the engine breaks a promise: with seed, step, and the command that shows it again.
 */
export async function play(
  seeds: Iterable<number>,
  until: { readonly budgetMs: number; readonly steps?: number },
): Promise<Played> {
  const begun = performance.now();
  const total = { seeds: 0, steps: 0, rows: 0, counts: {} as Record<string, number> };
  for (const seed of seeds) {
    if (performance.now() - begun > until.budgetMs) break;
    if (total.steps >= (until.steps ?? Number.POSITIVE_INFINITY)) break;
    const outcome = await playSeed(seed);
    total.seeds += 1;
    total.steps += outcome.steps;
    total.rows += outcome.rows;
    for (const [name, n] of Object.entries(outcome.counts)) {
      total.counts[name] = (total.counts[name] ?? 0) + n;
    }
  }
  return { ...total, seconds: Math.round((performance.now() - begun) / 1_000) };
}

/**
 * Plays one seed, or the steps of it that `ranges` names.
 *
 * @throws As `play`.
 */
export async function playSeed(seed: number, ranges?: string): Promise<Outcome> {
  const steps =
    ranges === undefined ? Array.from({ length: SEED_STEPS }, (_, n) => n) : stepsOf(ranges);
  const outcome = await simulate({ seed, steps });
  if (outcome.fault === undefined) return outcome;
  const { run, outcome: shown } = await shrink({ seed, steps }, outcome, SHRINK_MS);
  const command = `STOA_SIM_SEED=${seed} npx vitest run test/sim`;
  const short = `STOA_SIM_STEPS=${rangesOf(run.steps)} ${command}`;
  const lines = shown.lines.slice(-LINES_SHOWN).join('\n  ');
  throw new Error(
    `seed ${seed} breaks at step ${outcome.at}: ${outcome.fault.message}\n` +
      `again: ${command}\nin ${run.steps.length} steps: ${short}\n` +
      `${shown.fault?.message ?? ''}\n  ${lines}`,
  );
}

/** Time for making a failing run shorter, in milliseconds. */
const SHRINK_MS = 15_000;
const LINES_SHOWN = 25;
