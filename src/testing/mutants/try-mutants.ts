import type { AnyStateMachine } from 'xstate';
import type { Driver } from '../driver.ts';
import { engineDriver } from '../engine-driver.ts';
import type { TestPath } from '../path.ts';
import { PathFailure } from '../path-failure.ts';
import { listTransitions } from '../paths-of.ts';
import { runPath } from '../run-path.ts';
import type { Mutant } from './mutants-of.ts';

/** Options for running mutants. */
export interface CatchOptions {
  /** Creates a driver for a mutant as the system under test. Default: `engineDriver` in memory. */
  readonly driver?: (machine: AnyStateMachine) => Driver | Promise<Driver>;
}

/**
 * Runs paths of the original machine against a mutant.
 *
 * @returns The first failure; `undefined` if no path detects the mutant.
 */
export async function catches(
  mutant: Mutant,
  paths: readonly TestPath[],
  { driver = (machine) => engineDriver({ machine }) }: CatchOptions = {},
): Promise<PathFailure | undefined> {
  for (const path of orderByProximity(mutant, paths)) {
    try {
      await runPath(path, await driver(mutant.machine));
    } catch (thrown) {
      if (thrown instanceof PathFailure) return thrown;
      throw thrown;
    }
  }
  return undefined;
}

/** Result of mutation testing. */
export interface MutantReport {
  /** Caught mutants: the detecting path by mutant id. */
  readonly caught: Readonly<Record<string, string>>;
  /** Mutants that no path caught and that are not declared equivalent. */
  readonly survivors: readonly Mutant[];
  /** Ids declared equivalent that were caught anyway, or that do not exist. */
  readonly wronglyExcused: readonly string[];
}

/** Options for mutation testing. */
export interface MutantOptions extends CatchOptions {
  /** Equivalent mutants, which behave like the original: the reason by id. */
  readonly equivalent?: Readonly<Record<string, string>>;
}

/** Runs all mutants. A good set of paths leaves no survivor and no wrong excuse. */
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
  const mutantIds = new Set(mutants.map(({ id }) => id));
  const wronglyExcused = Object.keys(equivalent).filter(
    (id) => Object.hasOwn(caught, id) || !mutantIds.has(id),
  );
  return { caught, survivors, wronglyExcused };
}

/** Orders paths through the changed place first, because they detect the mutant sooner. */
function orderByProximity(
  { transitionIds }: Mutant,
  paths: readonly TestPath[],
): readonly TestPath[] {
  const isNear = (path: TestPath): boolean =>
    listTransitions(path).some((id) => transitionIds.includes(id));
  return [...paths.filter(isNear), ...paths.filter((path) => !isNear(path))];
}
