import { AppError } from '../domain/common/error.ts';
import type { Edge, Exploration, Situation } from './explore-machine.ts';
import { type Model, type ModelState, planViewOf } from './model.ts';
import { isEventNamed, listWaits, type MoveGenerator } from './moves.ts';
import type { Move, PathOptions, TestPath } from './path.ts';
import { SeededRandom } from './seeded-random.ts';
import { Walk, walkPath } from './walk.ts';

/** Default maximum number of paths in a set. */
const DEFAULT_COUNT_MAX = 10_000;
/** Default number of random walks. */
const RANDOM_COUNT = 20;
/** Default length of a random walk. */
const RANDOM_LENGTH = 30;
/** One in this many moves is one that the machine ignores. */
const IGNORED_INTERVAL = 8;
/** One in this many moves lets time pass, where time is explored. */
const WAIT_INTERVAL = 4;
/** One in this many walks goes on after each step that follows the end. */
const END_INTERVAL = 3;

/** Inputs of walks. */
export interface WalkInput {
  readonly options: PathOptions;
  readonly input: unknown;
  readonly inputName: string;
}

/** Creates the shortest path to every state value, without those that are a prefix of another. */
export function createShortestPaths(
  model: Model,
  { root, situations }: Exploration,
  source: WalkInput,
): readonly TestPath[] {
  const byValue = new Map<string, Situation>();
  for (const situation of [root, ...situations]) {
    const { value, status } = situation.state.snapshot;
    const key = JSON.stringify([value, status]);
    if (!byValue.has(key)) byValue.set(key, situation);
  }
  const ways = [...byValue.values()].map(traceFromRoot);
  return toPaths(model, removePrefixes(ways), source);
}

/**
 * Creates every path without a repeated situation, without those that are a prefix of another.
 *
 * @throws {AppError} `PATHS_BOUND` naming `countMax`.
 */
export function createSimplePaths(
  model: Model,
  { root }: Exploration,
  source: WalkInput,
): readonly TestPath[] {
  const { countMax = DEFAULT_COUNT_MAX, lengthMax = Number.POSITIVE_INFINITY } = source.options;
  const ways: (readonly Edge[])[] = [];
  const visited = new Set<Situation>([root]);
  const route: Edge[] = [];
  const extend = (situation: Situation): void => {
    let isEnd = true;
    for (const edge of route.length < lengthMax ? situation.edges : []) {
      if (visited.has(edge.to)) continue;
      isEnd = false;
      visited.add(edge.to);
      route.push(edge);
      extend(edge.to);
      route.pop();
      visited.delete(edge.to);
    }
    if (!isEnd) return;
    if (ways.length >= countMax) throw countError(countMax);
    ways.push([...route]);
  };
  extend(root);
  return toPaths(model, ways, source);
}

/** Creates seeded random walks. */
export function createRandomPaths(
  model: Model,
  moves: MoveGenerator,
  { options, input, inputName }: WalkInput,
): readonly TestPath[] {
  const { seed = 1, countMax = RANDOM_COUNT, lengthMax = RANDOM_LENGTH } = options;
  return Array.from({ length: countMax }, (_, at) => {
    const chance = new SeededRandom(seed * DEFAULT_COUNT_MAX + at);
    const walk = new Walk(model, input);
    while (walk.length < lengthMax) {
      const move = chooseMove({ model, moves, options, chance }, walk.state);
      if (move === undefined) break;
      walk.take(move);
    }
    const id = `${inputName === '' ? '' : `${inputName}-`}random-${seed}-${at + 1}`;
    return walk.path({ id, inputName, seed });
  });
}

interface ChoiceContext {
  readonly model: Model;
  readonly moves: MoveGenerator;
  readonly options: PathOptions;
  readonly chance: SeededRandom;
}

function chooseMove(o: ChoiceContext, state: ModelState): Move | undefined {
  const { options, chance } = o;
  if (options.stopWhen?.(planViewOf(state)) === true) return undefined;
  if (state.snapshot.status !== 'active') return chooseMoveAfterEnd(o, state);
  const waits = options.time === 'around' ? listWaits(state) : [];
  if (waits.length > 0 && chance.below(WAIT_INTERVAL) === 0) return chance.pick(waits);
  const { accepted, ignored } = sortMoves(o, state);
  const isIgnored = ignored.length > 0 && chance.below(IGNORED_INTERVAL) === 0;
  return chance.pick(isIgnored ? ignored : accepted) ?? chance.pick(waits);
}

function chooseMoveAfterEnd(
  { moves, options, chance }: ChoiceContext,
  state: ModelState,
): Move | undefined {
  const goesOn = options.ignored === 'everywhere' && chance.below(END_INTERVAL) > 0;
  return goesOn ? chance.pick(moves.listMovesAfterEnd(state)) : undefined;
}

function sortMoves({ model, moves, options }: ChoiceContext, state: ModelState) {
  const accepted: Move[] = [];
  const ignored: Move[] = [];
  for (const move of moves.listMoves(state)) {
    const transitionCount = countTransitions(model, state, move);
    if (transitionCount === undefined) continue;
    if (transitionCount > 0) accepted.push(move);
    else if (canIgnore(options, state, move)) ignored.push(move);
  }
  return { accepted, ignored };
}

function canIgnore({ ignored = 'guarded' }: PathOptions, state: ModelState, move: Move): boolean {
  if (ignored === 'none' || move.kind !== 'event') return false;
  return ignored === 'all' || ignored === 'everywhere' || isEventNamed(state, move.event.type);
}

function countTransitions(model: Model, state: ModelState, move: Move): number | undefined {
  try {
    return model.move(state, move).transitionIds.length;
  } catch {
    // A move that makes the machine throw is not part of a path.
    return undefined;
  }
}

function traceFromRoot(situation: Situation): readonly Edge[] {
  const way: Edge[] = [];
  for (let edge = situation.parent; edge !== undefined; edge = edge.from.parent) way.unshift(edge);
  return way;
}

/** Every step of a path is checked, so a path that is a prefix of another adds nothing. */
function removePrefixes(ways: readonly (readonly Edge[])[]): readonly (readonly Edge[])[] {
  const inner = new Set(ways.flatMap((way) => way.slice(0, -1)));
  return ways.filter((way) => {
    const last = way.at(-1);
    return last === undefined ? ways.length === 1 : !inner.has(last);
  });
}

function toPaths(
  model: Model,
  ways: readonly (readonly Edge[])[],
  { options, input, inputName }: WalkInput,
): readonly TestPath[] {
  const { countMax = DEFAULT_COUNT_MAX } = options;
  if (ways.length > countMax) throw countError(countMax);
  const prefix = `${inputName === '' ? '' : `${inputName}-`}${options.how}`;
  return ways.flatMap((way, at) => {
    const id = `${prefix}-${at + 1}`;
    try {
      const moves = way.map(({ move }) => move);
      return [walkPath(model, { id, inputName, input }, moves)];
    } catch (thrown) {
      // Two states of one situation may differ in what is possible after them.
      if (thrown instanceof AppError && thrown.code === 'PATH_INVALID') return [];
      throw thrown;
    }
  });
}

function countError(limit: number): AppError {
  return new AppError('PATHS_BOUND', {
    message: `there are more than ${limit} paths (countMax). Use how: 'transitions', or facets.`,
    data: { bound: 'countMax', limit },
  });
}
