import type { AnyStateMachine } from 'xstate';
import { AppError } from '../domain/common/error.ts';
import type { Driver } from './driver.ts';
import { FAULTS, withFaults } from './fault-copies.ts';
import type { PathOptions, PathPlan, TestPath } from './path.ts';
import { PathFailure } from './path-failure.ts';
import { pathsOf, withWaits } from './paths-of.ts';
import { runPath } from './run-path.ts';
import { type RunPathsOptions, type RunsSum, shrinkFailure } from './run-paths.ts';
import { requirePositive } from './walk.ts';
import { confirmWithXState } from './xstate-witness.ts';

/** Default time of a check, in milliseconds. */
const TIME_MS = 5_000;
/** Lengths of random walks, one after another. */
const WALK_LENGTHS = [6, 12, 25, 50] as const;

/** Options of a check. */
export interface CheckOptions extends PathPlan, Omit<RunPathsOptions, 'machine' | 'faults'> {
  /** How long to search, in milliseconds. Default 5 s. */
  readonly timeMs?: number;
  /** Default 1. Walk `n` of a run depends on the seed and `n` only. */
  readonly seed?: number;
}

/**
 * Searches a system for a difference from its machine until the time is over: paths through every
 * transition, then random walks, each with and without faults. If the driver has `wait`, time stops
 * 1 ms before and after due times too. If it has `faults`, they follow steps.
 *
 * @returns How much was tried without a difference.
 * @throws {PathFailure} The first difference, shortened.
 * @example
 * await checkSystem(machine, { driver: () => engineDriver({ machine }), timeMs: 10_000 });
 */
export async function checkSystem(
  machine: AnyStateMachine,
  options: CheckOptions,
): Promise<RunsSum> {
  const { timeMs = TIME_MS } = options;
  requirePositive('timeMs', timeMs);
  const deadline = AbortSignal.timeout(timeMs);
  let probe: Driver | undefined;
  const driver = async (): Promise<Driver> => {
    probe = await options.driver();
    return probe;
  };
  const run = { ...options, machine, driver };
  let [paths, steps, faults] = [0, 0, 0];
  for (const path of generatePaths(machine, options, () => probe)) {
    // A system without I/O leaves no turn in which the time could end.
    await new Promise((resolve) => setImmediate(resolve));
    if (deadline.aborted) break;
    confirmWithXState(machine, path);
    try {
      const done = await runPath(path, await driver(), pickRunOptions(options));
      paths += 1;
      steps += done.steps;
      faults += done.faults;
    } catch (thrown) {
      throw thrown instanceof PathFailure ? await shrinkFailure(thrown, run) : thrown;
    }
  }
  return { paths, steps, faults };
}

function pickRunOptions({ coverage, timeoutMs }: CheckOptions) {
  return { ...(coverage && { coverage }), ...(timeoutMs && { timeoutMs }) };
}

/** Yields paths without an end. The first path shows what the driver can do. */
function* generatePaths(
  machine: AnyStateMachine,
  options: CheckOptions,
  probe: () => Driver | undefined,
): Generator<TestPath> {
  const { seed = 1 } = options;
  const covering = findCoveringPaths(machine, { ...options, how: 'transitions', ignored: 'all' });
  yield* covering;
  for (let n = 0; ; n += 1) {
    const canWait = probe()?.wait !== undefined;
    const faults = FAULTS.filter((name) => probe()?.faults?.[name] !== undefined);
    if (n === 0 && canWait) yield* withWaits(machine, covering);
    if (n === 0) yield* withFaults(covering, { where: 'everyStep', faults });
    const walks = pathsOf(machine, {
      ...options,
      how: 'random',
      seed: seed + n,
      countMax: 4,
      lengthMax: WALK_LENGTHS[n % WALK_LENGTHS.length] ?? TIME_MS,
      ignored: 'everywhere',
      time: canWait ? 'around' : 'due',
    });
    yield* walks;
    if (faults.length > 0) yield* withFaults(walks, { where: 2, faults, seed: seed + n });
  }
}

/** A search that reaches its limits leaves the rest to random walks. */
function findCoveringPaths(machine: AnyStateMachine, options: PathOptions): readonly TestPath[] {
  try {
    return pathsOf(machine, options);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'PATHS_BOUND') return [];
    throw thrown;
  }
}
