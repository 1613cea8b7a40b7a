import type { AnyStateMachine } from 'xstate';
import { AppError } from '../domain/common/error.ts';
import type { Coverage } from './coverage.ts';
import type { Driver } from './driver.ts';
import { Model } from './model.ts';
import type { FaultName, TestPath } from './path.ts';
import { PathFailure } from './path-failure.ts';
import { type RunOptions, runPath } from './run-path.ts';
import { type FaultedMove, walkPath } from './walk.ts';
import { confirmWithXState } from './xstate-witness.ts';

/** Default maximum number of runs to shrink a failure. */
const SHRINK_RUNS_MAX = 200;

/** Options for running paths. */
export interface RunPathsOptions {
  /** The machine of the paths, whose model is used to shrink failures. */
  readonly machine: AnyStateMachine;
  /** Creates a driver for one path. Every path starts anew. */
  readonly driver: () => Driver | Promise<Driver>;
  readonly faults?: readonly FaultName[];
  readonly coverage?: Coverage;
  /** Timeout of one path in milliseconds. Default 2 minutes. */
  readonly timeoutMs?: number;
  /** Maximum number of runs to shrink a failing path; 0 disables shrinking. Default 200. */
  readonly shrinkRunsMax?: number;
}

/** Totals over all runs. */
export interface RunsSum {
  readonly paths: number;
  readonly steps: number;
  readonly faults: number;
}

/**
 * Runs paths one after another. Shrinks the first failure by removing unnecessary steps and faults,
 * and throws it. Each path is first played on XState itself, so its model cannot share a fault of
 * the system.
 *
 * @throws {PathFailure}
 * @throws {AppError} `PATH_INVALID` if the model differs from XState.
 */
export async function runPaths(
  paths: readonly TestPath[],
  options: RunPathsOptions,
): Promise<RunsSum> {
  let [steps, faults] = [0, 0];
  for (const path of paths) {
    confirmWithXState(options.machine, path);
    try {
      const run = await runPath(path, await options.driver(), options);
      steps += run.steps;
      faults += run.faults;
    } catch (thrown) {
      throw thrown instanceof PathFailure ? await shrinkFailure(thrown, options) : thrown;
    }
  }
  return { paths: paths.length, steps, faults };
}

/**
 * Finds a shorter path that still fails by removing steps and faults. Every candidate is first
 * checked on the model.
 */
export async function shrinkFailure(
  failure: PathFailure,
  options: Omit<RunPathsOptions, 'coverage'>,
): Promise<PathFailure> {
  if (options.shrinkRunsMax === 0 || hasHung(failure)) return failure;
  const search = new PathShrinker(options);
  let current = failure;
  for (let length = listMoves(current).length; length > 0; length = Math.floor(length / 2)) {
    current = await search.removeMoves(current, length);
  }
  return trimToFailure(await search.removeFaults(current));
}

/** Every shorter path would hang for the full timeout again. */
function hasHung({ cause }: PathFailure): boolean {
  return cause instanceof AppError && cause.data['bound'] === 'timeoutMs';
}

/** Steps after the failure are irrelevant. */
function trimToFailure(failure: PathFailure): PathFailure {
  const { path, stepsDone, fault, differences, cause } = failure;
  const steps = path.steps.slice(0, stepsDone);
  const stateIds = steps.at(-1)?.after.stateIds ?? path.begin.after.stateIds;
  const facts = { path: { ...path, steps, stateIds }, stepsDone, differences, cause };
  return new PathFailure(fault === undefined ? facts : { ...facts, fault });
}

class PathShrinker {
  readonly #options: Omit<RunPathsOptions, 'coverage'>;
  readonly #model: Model;
  readonly #run: RunOptions;
  #runsLeft: number;

  constructor(options: Omit<RunPathsOptions, 'coverage'>) {
    this.#options = options;
    this.#model = new Model(options.machine);
    const { faults, timeoutMs } = options;
    this.#run = { ...(faults && { faults }), ...(timeoutMs && { timeoutMs }) };
    this.#runsLeft = options.shrinkRunsMax ?? SHRINK_RUNS_MAX;
  }

  /** Removes ranges of `length` moves while the rest still fails. */
  async removeMoves(failure: PathFailure, length: number): Promise<PathFailure> {
    let best = failure;
    let at = listMoves(best).length - length;
    while (at >= 0 && this.#runsLeft > 0) {
      const moves = listMoves(best);
      const fewer = [...moves.slice(0, at), ...moves.slice(at + length)];
      best = (await this.#runCandidate(best, fewer)) ?? best;
      at = Math.min(at, listMoves(best).length - length + 1) - 1;
    }
    return best;
  }

  async removeFaults(failure: PathFailure): Promise<PathFailure> {
    let best = failure;
    for (let at = listMoves(best).length - 1; at >= 0 && this.#runsLeft > 0; at -= 1) {
      const moves = listMoves(best);
      if (moves[at]?.faults === undefined) continue;
      const candidateMoves = moves.map((move, index) =>
        index === at ? removeMoveFaults(move) : move,
      );
      best = (await this.#runCandidate(best, candidateMoves)) ?? best;
    }
    return best;
  }

  async #runCandidate(
    { path }: PathFailure,
    moves: readonly FaultedMove[],
  ): Promise<PathFailure | undefined> {
    const candidate = this.#buildPath(path, moves);
    if (candidate === undefined) return undefined;
    this.#runsLeft -= 1;
    try {
      await runPath(candidate, await this.#options.driver(), this.#run);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof PathFailure) return thrown;
      throw thrown;
    }
  }

  #buildPath({ id, input, inputName, seed, begin }: TestPath, moves: readonly FaultedMove[]) {
    const head = { id, input, inputName, ...(seed === undefined ? {} : { seed }) };
    try {
      const path = walkPath(this.#model, head, moves);
      const { faults } = begin;
      return faults === undefined ? path : { ...path, begin: { ...path.begin, faults } };
    } catch {
      // The rest is not a path of the machine, because it depends on what was removed.
      return undefined;
    }
  }
}

/** Returns the moves up to the failure. */
function listMoves({ path, stepsDone }: PathFailure): readonly FaultedMove[] {
  return path.steps.slice(0, stepsDone);
}

function removeMoveFaults({ faults: _faults, ...move }: FaultedMove): FaultedMove {
  return move as FaultedMove;
}
