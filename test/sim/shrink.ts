import type { Outcome, Run } from './simulation.ts';
import { simulate } from './simulation.ts';

/** A run that fails, in as few steps as were found. */
export interface Shrunk {
  readonly run: Run;
  readonly outcome: Outcome;
}

/**
 * Leaves out steps of a failing run as long as the same claim still breaks. Steps decide by their
 * own numbers, so that what stays does what it did.
 *
 * @param budgetMs - When to stop looking, in milliseconds.
 */
export async function shrink(run: Run, outcome: Outcome, budgetMs: number): Promise<Shrunk> {
  const claim = claimOf(outcome);
  const end = performance.now() + budgetMs;
  // Nothing after the step that showed it can matter, unless the end of the run showed it.
  let best: Shrunk = { run: { ...run, steps: run.steps.slice(0, outcome.at + 1) }, outcome };
  let size = Math.ceil(best.run.steps.length / 2);
  while (size >= 1 && performance.now() < end) {
    const found = await without(best, size, { claim, end });
    if (found !== undefined) best = found;
    else size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return best;
}

/** Writes steps as ranges: `0-11,14,20-23`. */
export function rangesOf(steps: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const step of steps) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === step - 1) last[1] = step;
    else ranges.push([step, step]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join();
}

/** Reads what `rangesOf` writes. */
export function stepsOf(ranges: string): readonly number[] {
  return ranges.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, n) => from + n);
  });
}

async function without(
  best: Shrunk,
  size: number,
  { claim, end }: { readonly claim: string; readonly end: number },
): Promise<Shrunk | undefined> {
  const { steps } = best.run;
  for (let at = steps.length - size; at > -size && performance.now() < end; at -= size) {
    const fewer = steps.filter((_, n) => n < at || n >= at + size);
    if (fewer.length === steps.length) continue;
    const run = { ...best.run, steps: fewer };
    const outcome = await simulate(run);
    if (outcome.fault !== undefined && claimOf(outcome) === claim) return { run, outcome };
  }
  return undefined;
}

function claimOf({ fault }: Outcome): string {
  return fault?.message.split(':')[0] ?? '';
}
