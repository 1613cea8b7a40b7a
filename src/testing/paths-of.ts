import type { AnyStateMachine } from 'xstate';
import { AppError } from '../domain/common/error.ts';
import { machineGraph } from '../machines/graph/machine-graph.ts';
import { type Covered, type CoverSource, coveringPaths } from './cover.ts';
import { type Exploration, explore } from './explore.ts';
import { Model } from './model.ts';
import { Moves } from './moves.ts';
import type { FaultName, PathChoice, PathOptions, PathSet, TestPath } from './path.ts';
import { checkBound, pathOf, type SavedStep, savedMove, Walk } from './walk.ts';
import { randomPaths, shortestPaths, simplePaths } from './walks.ts';

const CHOICES: readonly PathChoice[] = ['transitions', 'shortest', 'simple', 'random'];

/**
 * Makes paths through a machine: events with their payloads, delays, and effects that end well or
 * badly. The same options give the same paths.
 *
 * `transitions`: a small set that goes through every transition that can be reached. `shortest`:
 * the shortest way to every state. `simple`: every way without a repeated situation. `random`:
 * walks that the seed decides.
 *
 * @throws {AppError} `INPUT_INVALID`; `PATHS_BOUND` naming the bound that was reached.
 * @example
 * const paths = pathsOf(machine, { how: 'transitions', input: { item: 'lamp' } });
 */
export function pathsOf(machine: AnyStateMachine, options: PathOptions): readonly TestPath[] {
  return pathSetOf(machine, options).paths;
}

/** Like `pathsOf`, and says what no path goes through and what made the machine throw. */
export function pathSetOf(machine: AnyStateMachine, options: PathOptions): PathSet {
  check(options);
  const model = new Model(machine);
  const moves = new Moves(model, options);
  const transitionIds = transitionIdsOf(machine);
  const paths: TestPath[] = [];
  const poisons = new Set<string>();
  const seen = new Set<string>();
  const covered: Covered = { transitionIds: new Set() };
  for (const [inputName, input] of inputsOf(options)) {
    const source = { options, input, inputName };
    if (options.how === 'random') {
      paths.push(...randomPaths(model, moves, source));
      continue;
    }
    // Another input may reach what this one does not: only what it can reach at all is wanted.
    const found = explore(model, moves, { options, input, wanted: transitionIds });
    for (const id of found.transitionIds) seen.add(id);
    for (const poison of found.poisons) poisons.add(poison);
    paths.push(...chosenPaths(model, found, { ...source, covered }));
  }
  const walked = new Set(paths.flatMap(transitionsIn));
  const coveredIds = transitionIds.filter((id) => walked.has(id));
  const unreachedIds = transitionIds.filter((id) => !walked.has(id) && !seen.has(id));
  return { paths, transitionIds, coveredIds, unreachedIds, poisons: [...poisons] };
}

/** A path as it is saved: all that a replay needs beside the machine. */
export interface SavedPath {
  readonly id: string;
  readonly input?: unknown;
  /** Faults right after the start. */
  readonly beginFaults?: readonly FaultName[];
  readonly steps: readonly SavedStep[];
}

/**
 * Makes one path from saved steps, for a test that replays it.
 *
 * @throws {AppError} `PATH_INVALID` when the machine has no such path.
 */
export function pathFrom(machine: AnyStateMachine, saved: SavedPath): TestPath {
  const { id, input, beginFaults, steps } = saved;
  const path = pathOf(new Model(machine), { id, input, inputName: '' }, steps.map(savedMove));
  if (beginFaults === undefined) return path;
  return { ...path, begin: { ...path.begin, faults: beginFaults } };
}

/** Every transition that a path goes through, the first ones included. */
export function transitionsIn({ begin, steps }: TestPath): readonly string[] {
  return [...begin.transitionIds, ...steps.flatMap(({ transitionIds }) => transitionIds)];
}

/** Ids of all transitions of a machine, in the order of its graph. */
export function transitionIdsOf(machine: AnyStateMachine): readonly string[] {
  const { id } = machine;
  const graph = machineGraph({ kind: id, version: 1, title: id, machine });
  return graph.transitions.map((transition) => transition.id);
}

function chosenPaths(model: Model, found: Exploration, source: CoverSource): readonly TestPath[] {
  switch (source.options.how) {
    case 'transitions':
      return withBegin(coveringPaths(model, found, source), model, source);
    case 'shortest':
      return shortestPaths(model, found, source);
    case 'simple':
      return simplePaths(model, found, source);
    case 'random':
      return [];
  }
}

/** A beginning with transitions of its own is a path, even when nothing new follows it. */
function withBegin(
  paths: readonly TestPath[],
  model: Model,
  { input, inputName, covered }: CoverSource,
): readonly TestPath[] {
  const id = `${inputName === '' ? '' : `${inputName}-`}transitions-1`;
  const begin = new Walk(model, input).path({ id, inputName });
  const news = transitionsIn(begin).filter((each) => !covered.transitionIds.has(each));
  for (const each of news) covered.transitionIds.add(each);
  return paths.length > 0 || (news.length === 0 && inputName !== '') ? paths : [begin];
}

function inputsOf({ input, inputs }: PathOptions): readonly (readonly [string, unknown])[] {
  return inputs === undefined ? [['', input]] : Object.entries(inputs);
}

function check(options: PathOptions): void {
  if (!CHOICES.includes(options.how)) {
    throw new AppError('INPUT_INVALID', {
      message: `how is ${JSON.stringify(options.how)}; it must be one of ${CHOICES.join(', ')}`,
      data: { how: options.how },
    });
  }
  checkBound('lengthMax', options.lengthMax);
  checkBound('countMax', options.countMax);
  checkBound('situationsMax', options.situationsMax);
  const { seed = 1 } = options;
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new AppError('INPUT_INVALID', {
      message: `seed is ${seed}; it must be a whole number from 0`,
      data: { seed },
    });
  }
}
