import type { AnyStateMachine } from 'xstate';
import type { Driver } from '../driver.ts';
import { engineDriver } from '../engine-driver.ts';
import { PathFailure } from '../failure.ts';
import type { TestPath } from '../path.ts';
import { transitionsIn } from '../paths-of.ts';
import { runPath } from '../run-path.ts';
import type { Mutant } from './mutants-of.ts';

/** How mutants are run. */
export interface CatchOptions {
  /** Drives a broken machine as the system under test. Default: `engineDriver` in memory. */
  readonly driver?: (machine: AnyStateMachine) => Driver | Promise<Driver>;
}

/**
 * Runs a broken machine as the system, and paths of the good one against it.
 *
 * @returns The first failure; `undefined` when no path sees a difference.
 */
export async function catches(
  mutant: Mutant,
  paths: readonly TestPath[],
  { driver = (machine) => engineDriver({ machine }) }: CatchOptions = {},
): Promise<PathFailure | undefined> {
  for (const path of nearestFirst(mutant, paths)) {
    try {
      await runPath(path, await driver(mutant.machine));
    } catch (thrown) {
      if (thrown instanceof PathFailure) return thrown;
      throw thrown;
    }
  }
  return undefined;
}

/** What became of a list of mutants. */
export interface MutantReport {
  /** Ids of those that a path caught, each with the path. */
  readonly caught: Readonly<Record<string, string>>;
  /** Those that no path caught and that nobody gave a reason for. */
  readonly survivors: readonly Mutant[];
  /** Ids with a reason that were caught all the same, or that are no mutants. */
  readonly wronglyExcused: readonly string[];
}

/** How a list of mutants is tried. */
export interface MutantOptions extends CatchOptions {
  /** Mutants that behave like the good machine in every way: the reason by id. */
  readonly equivalent?: Readonly<Record<string, string>>;
}

/** Tries all mutants. A good set of paths leaves no survivor, and no wrong excuse. */
export async function tryMutants(
  mutants: readonly Mutant[],
  paths: readonly TestPath[],
  options: MutantOptions = {},
): Promise<MutantReport> {
  const { equivalent = {} } = options;
  const caught: Record<string, string> = {};
  const survivors: Mutant[] = [];
  for (const mutant of mutants) {
    const failure = await catches(mutant, paths, options);
    if (failure !== undefined) caught[mutant.id] = failure.path.id;
    else if (!Object.hasOwn(equivalent, mutant.id)) survivors.push(mutant);
  }
  const known = new Set(mutants.map(({ id }) => id));
  const wronglyExcused = Object.keys(equivalent).filter(
    (id) => Object.hasOwn(caught, id) || !known.has(id),
  );
  return { caught, survivors, wronglyExcused };
}

/** Paths through the place of the change see it first. */
function nearestFirst({ transitionIds }: Mutant, paths: readonly TestPath[]): readonly TestPath[] {
  const isNear = (path: TestPath): boolean =>
    transitionsIn(path).some((id) => transitionIds.includes(id));
  return [...paths.filter(isNear), ...paths.filter((path) => !isNear(path))];
}
