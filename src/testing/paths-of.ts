import type { AnyStateMachine } from 'xstate';
import { AppError } from '../domain/common/error.ts';
import { buildMachineGraph } from '../machines/graph/machine-graph.ts';
import { type Covered, type CoverInput, createCoveringPaths } from './covering-paths.ts';
import { type Exploration, explore, exploreDeeper } from './explore-machine.ts';
import { Model } from './model.ts';
import { listWaits, MoveGenerator } from './moves.ts';
import type { FaultName, PathChoice, PathOptions, PathSet, SearchBound, TestPath } from './path.ts';
import {
  createRandomPaths,
  createShortestPaths,
  createSimplePaths,
  type WalkInput,
} from './path-kinds.ts';
import { requirePositive, type SavedStep, toMove, Walk, walkPath } from './walk.ts';

const CHOICES: readonly PathChoice[] = ['transitions', 'shortest', 'simple', 'random'];

/**
 * Creates paths through a machine: events with payloads, delays, and effects that succeed or fail.
 * The same options give the same paths.
 *
 * `transitions`: a small set that covers every reachable transition. `shortest`: the shortest way
 * to every state. `simple`: every way without a repeated situation. `random`: seeded random walks.
 *
 * @throws {AppError} `INPUT_INVALID`; `PATHS_BOUND` naming the limit that was reached.
 * @example
 * const paths = pathsOf(machine, { how: 'transitions', input: { item: 'lamp' } });
 */
export function pathsOf(machine: AnyStateMachine, options: PathOptions): readonly TestPath[] {
  return pathSetOf(machine, options).paths;
}

/** Like `pathsOf`, but also returns uncovered transitions and moves that made the machine throw. */
export function pathSetOf(machine: AnyStateMachine, options: PathOptions): PathSet {
  validateOptions(options);
  const model = new Model(machine);
  const moves = new MoveGenerator(model, options);
  const transitionIds = listTransitionIds(machine);
  const paths: TestPath[] = [];
  const poisons = new Set<string>();
  const seen = new Set<string>();
  const bounds = new Set<SearchBound>(options.how === 'random' ? ['random'] : []);
  const covered: Covered = { transitionIds: new Set() };
  if (options.how === 'random') {
    for (const [inputName, input] of listInputs(options)) {
      paths.push(...createRandomPaths(model, moves, { options, input, inputName }));
    }
  }
  for (const { source, found } of exploreAll(model, moves, { options, wanted: transitionIds })) {
    for (const bound of found.bounds) bounds.add(bound);
    for (const id of found.transitionIds) seen.add(id);
    for (const poison of found.poisons) poisons.add(poison);
    paths.push(...createChosenPaths(model, found, { ...source, covered }));
  }
  if (options.time === 'around' && options.how !== 'random') paths.push(...addWaits(model, paths));
  const walked = new Set(paths.flatMap(listTransitions));
  const coveredIds = transitionIds.filter((id) => walked.has(id));
  const unreachedIds = transitionIds.filter((id) => !walked.has(id) && !seen.has(id));
  const rest = { bounds: [...bounds].toSorted(), poisons: [...poisons] };
  return { paths, transitionIds, coveredIds, unreachedIds, ...rest };
}

interface InputExploration {
  readonly source: WalkInput;
  readonly found: Exploration;
}

/** Explores each input, and deeper where no input reaches all transitions. */
function exploreAll(
  model: Model,
  moves: MoveGenerator,
  { options, wanted }: { readonly options: PathOptions; readonly wanted: readonly string[] },
): readonly InputExploration[] {
  if (options.how === 'random') return [];
  const all = listInputs(options).map(([inputName, input]) => {
    const source = { options, input, inputName };
    return { source, found: explore(model, moves, { options, input, wanted }) };
  });
  const missing = wanted.filter((id) => !all.some(({ found }) => found.transitionIds.has(id)));
  // Simple paths through contexts that are kept apart would be too many.
  if (options.how === 'simple' || options.facets !== undefined || missing.length === 0) return all;
  return all.map(({ source, found }) => {
    const search = { options, input: source.input, wanted: missing };
    return { source, found: exploreDeeper(model, moves, { ...search, found }) };
  });
}

/** A saved path: everything for a replay except the machine. */
export interface SavedPath {
  readonly id: string;
  readonly input?: unknown;
  /** Faults right after the start. */
  readonly beginFaults?: readonly FaultName[];
  readonly steps: readonly SavedStep[];
}

/**
 * Creates a path from saved steps, for a test that replays it.
 *
 * @throws {AppError} `PATH_INVALID` if the machine has no such path.
 */
export function pathFrom(machine: AnyStateMachine, saved: SavedPath): TestPath {
  const { id, input, beginFaults, steps } = saved;
  const path = walkPath(new Model(machine), { id, input, inputName: '' }, steps.map(toMove));
  if (beginFaults === undefined) return path;
  return { ...path, begin: { ...path.begin, faults: beginFaults } };
}

/**
 * Returns copies of paths in which time passes before each step: to 1 ms before the next timer, to
 * 1 ms after the last one, and past those that the actor no longer has. The driver needs `wait`.
 */
export function withWaits(
  machine: AnyStateMachine,
  paths: readonly TestPath[],
): readonly TestPath[] {
  return addWaits(new Model(machine), paths);
}

function addWaits(model: Model, paths: readonly TestPath[]): readonly TestPath[] {
  return paths.flatMap((path) => {
    const { id, inputName, input, seed, steps } = path;
    const walk = new Walk(model, input);
    try {
      for (const step of steps) {
        takeWaits(walk);
        walk.take(step);
      }
      takeWaits(walk);
    } catch (thrown) {
      // Time can change which timer is next; what was walked up to there is a path.
      if (!(thrown instanceof AppError && thrown.code === 'PATH_INVALID')) throw thrown;
    }
    const head = { id: `${id}+waits`, inputName, ...(seed === undefined ? {} : { seed }) };
    const copy = walk.path(head);
    return copy.steps.some(({ kind }) => kind === 'wait') ? [copy] : [];
  });
}

/** Lets time pass twice: past the last due time, then up to the next. */
function takeWaits(walk: Walk): void {
  for (let n = 0; n < 2; n += 1) {
    const [wait] = listWaits(walk.state);
    if (wait !== undefined) walk.take(wait);
  }
}

/** Returns all transitions of a path, including the initial ones. */
export function listTransitions({ begin, steps }: TestPath): readonly string[] {
  return [...begin.transitionIds, ...steps.flatMap(({ transitionIds }) => transitionIds)];
}

/** Returns the ids of all transitions of a machine, in graph order. */
export function listTransitionIds(machine: AnyStateMachine): readonly string[] {
  const { id } = machine;
  const graph = buildMachineGraph({ kind: id, version: 1, title: id, machine });
  return graph.transitions.map((transition) => transition.id);
}

function createChosenPaths(
  model: Model,
  found: Exploration,
  source: CoverInput,
): readonly TestPath[] {
  switch (source.options.how) {
    case 'transitions':
      return addStartPath(createCoveringPaths(model, found, source), model, source);
    case 'shortest':
      return createShortestPaths(model, found, source);
    case 'simple':
      return createSimplePaths(model, found, source);
    case 'random':
      return [];
  }
}

/** A start with transitions of its own is a path, even if nothing new follows it. */
function addStartPath(
  paths: readonly TestPath[],
  model: Model,
  { input, inputName, covered }: CoverInput,
): readonly TestPath[] {
  const id = `${inputName === '' ? '' : `${inputName}-`}transitions-1`;
  const begin = new Walk(model, input).path({ id, inputName });
  const newIds = listTransitions(begin).filter((each) => !covered.transitionIds.has(each));
  for (const each of newIds) covered.transitionIds.add(each);
  return paths.length > 0 || (newIds.length === 0 && inputName !== '') ? paths : [begin];
}

function listInputs({ input, inputs }: PathOptions): readonly (readonly [string, unknown])[] {
  return inputs === undefined ? [['', input]] : Object.entries(inputs);
}

function validateOptions(options: PathOptions): void {
  if (!CHOICES.includes(options.how)) {
    throw new AppError('INPUT_INVALID', {
      message: `how is ${JSON.stringify(options.how)}; it must be one of ${CHOICES.join(', ')}`,
      data: { how: options.how },
    });
  }
  requirePositive('lengthMax', options.lengthMax);
  requirePositive('countMax', options.countMax);
  requirePositive('situationsMax', options.situationsMax);
  const { seed = 1 } = options;
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new AppError('INPUT_INVALID', {
      message: `seed is ${seed}; it must be a whole number from 0`,
      data: { seed },
    });
  }
}
