import { ENGINES } from '../support/engines.ts';
import type { MachinePath } from '../support/machine-paths.ts';

/** The seed of a sample: from a variable, to repeat a run, or by chance. */
export function seedOf(variable: string): number {
  const given = process.env[variable];
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
}

/** The same things in an order that the seed decides. */
export function shuffled<T>(things: readonly T[], seed: number): readonly T[] {
  const mixed = [...things];
  let state = seed;
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}

/** Rows for a table of tests: the paths by turns over one HTTP engine and the other. */
export function overBothEngines(paths: readonly MachinePath[]) {
  return paths.map(
    ({ name, events }, at) => [ENGINES[at % ENGINES.length] ?? 'node', name, events] as const,
  );
}
