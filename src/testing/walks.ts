import { AppError } from '../domain/common/error.ts';
import { Chance } from './chance.ts';
import type { Edge, Exploration, Situation } from './explore.ts';
import { type Model, type ModelState, standingOf } from './model.ts';
import { isNamed, type Moves } from './moves.ts';
import type { Move, PathOptions, TestPath } from './path.ts';
import { pathOf, Walk } from './walk.ts';

/** Default maximum number of paths in a set. */
const COUNT_MAX = 10_000;
/** Default number of random walks. */
const RANDOM_COUNT = 20;
/** Default length of a random walk. */
const RANDOM_LENGTH = 30;
/** One in this many moves is one that the machine ignores. */
const IGNORED_SHARE = 8;

/** Inputs of walks. */
export interface WalkSource {
  readonly options: PathOptions;
  readonly input: unknown;
  readonly inputName: string;
}

/** Creates the shortest path to every state value, without those that are a prefix of another. */
export function shortestPaths(
  model: Model,
  { root, situations }: Exploration,
  source: WalkSource,
): readonly TestPath[] {
  const byValue = new Map<string, Situation>();
  for (const situation of [root, ...situations]) {
    const { value, status } = situation.state.snapshot;
    const key = JSON.stringify([value, status]);
    if (!byValue.has(key)) byValue.set(key, situation);
  }
  const ways = [...byValue.values()].map(wayFromRoot);
  return named(model, maximal(ways), source);
}

/**
 * Creates every path without a repeated situation, without those that are a prefix of another.
 *
 * @throws {AppError} `PATHS_BOUND` naming `countMax`.
 */
export function simplePaths(
  model: Model,
  { root }: Exploration,
  source: WalkSource,
): readonly TestPath[] {
  const { countMax = COUNT_MAX, lengthMax = Number.POSITIVE_INFINITY } = source.options;
  const ways: (readonly Edge[])[] = [];
  const visited = new Set<Situation>([root]);
  const way: Edge[] = [];
  const goOn = (here: Situation): void => {
    let isEnd = true;
    for (const edge of way.length < lengthMax ? here.edges : []) {
      if (visited.has(edge.to)) continue;
      isEnd = false;
      visited.add(edge.to);
      way.push(edge);
      goOn(edge.to);
      way.pop();
      visited.delete(edge.to);
    }
    if (!isEnd) return;
    if (ways.length >= countMax) throw tooMany(countMax);
    ways.push([...way]);
  };
  goOn(root);
  return named(model, ways, source);
}

/** Creates seeded random walks. */
export function randomPaths(
  model: Model,
  moves: Moves,
  { options, input, inputName }: WalkSource,
): readonly TestPath[] {
  const { seed = 1, countMax = RANDOM_COUNT, lengthMax = RANDOM_LENGTH } = options;
  return Array.from({ length: countMax }, (_, at) => {
    const chance = new Chance(seed * COUNT_MAX + at);
    const walk = new Walk(model, input);
    while (walk.length < lengthMax) {
      const move = chosen({ model, moves, options, chance }, walk.state);
      if (move === undefined) break;
      walk.go(move);
    }
    const id = `${inputName === '' ? '' : `${inputName}-`}random-${seed}-${at + 1}`;
    return walk.path({ id, inputName, seed });
  });
}

interface Choosing {
  readonly model: Model;
  readonly moves: Moves;
  readonly options: PathOptions;
  readonly chance: Chance;
}

function chosen(o: Choosing, state: ModelState): Move | undefined {
  const { model, moves, options, chance } = o;
  if (options.stopWhen?.(standingOf(state)) === true) return undefined;
  const heeded: Move[] = [];
  const ignored: Move[] = [];
  for (const move of moves.of(state)) {
    const taken = takes(model, state, move);
    if (taken === undefined) continue;
    if (taken > 0) heeded.push(move);
    else if (mayIgnore(options, state, move)) ignored.push(move);
  }
  const isIgnored = ignored.length > 0 && chance.below(IGNORED_SHARE) === 0;
  return chance.pick(isIgnored ? ignored : heeded);
}

function mayIgnore({ ignored = 'guarded' }: PathOptions, state: ModelState, move: Move): boolean {
  if (ignored === 'none' || move.kind !== 'event') return false;
  return ignored === 'all' || isNamed(state, move.event.type);
}

function takes(model: Model, state: ModelState, move: Move): number | undefined {
  try {
    return model.move(state, move).transitionIds.length;
  } catch {
    // A move that makes the machine throw is not part of a path.
    return undefined;
  }
}

function wayFromRoot(situation: Situation): readonly Edge[] {
  const way: Edge[] = [];
  for (let edge = situation.parent; edge !== undefined; edge = edge.from.parent) way.unshift(edge);
  return way;
}

/** Every step of a path is checked, so a path that is a prefix of another adds nothing. */
function maximal(ways: readonly (readonly Edge[])[]): readonly (readonly Edge[])[] {
  const inner = new Set(ways.flatMap((way) => way.slice(0, -1)));
  return ways.filter((way) => {
    const last = way.at(-1);
    return last === undefined ? ways.length === 1 : !inner.has(last);
  });
}

function named(
  model: Model,
  ways: readonly (readonly Edge[])[],
  { options, input, inputName }: WalkSource,
): readonly TestPath[] {
  const { countMax = COUNT_MAX } = options;
  if (ways.length > countMax) throw tooMany(countMax);
  const prefix = `${inputName === '' ? '' : `${inputName}-`}${options.how}`;
  return ways.flatMap((way, at) => {
    const id = `${prefix}-${at + 1}`;
    try {
      const moves = way.map(({ move }) => move);
      return [pathOf(model, { id, inputName, input }, moves)];
    } catch (thrown) {
      // Two states of one situation may differ in what is possible after them.
      if (thrown instanceof AppError && thrown.code === 'PATH_INVALID') return [];
      throw thrown;
    }
  });
}

function tooMany(limit: number): AppError {
  return new AppError('PATHS_BOUND', {
    message: `there are more than ${limit} paths (countMax). Use how: 'transitions', or facets.`,
    data: { bound: 'countMax', limit },
  });
}
