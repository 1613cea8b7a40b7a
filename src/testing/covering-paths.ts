import type { Edge, Exploration, Situation } from './explore-machine.ts';
import type { Model } from './model.ts';
import type { Move, PathOptions, TestPath } from './path.ts';
import { Walk } from './walk.ts';

/** Default maximum length of a covering path: short enough to read, long enough to need few. */
const PATH_LENGTH_MAX = 40;

/**
 * Creates a small set of paths through every transition that the search reached. A path takes the
 * shortest way to the nearest missing transition and continues to the next until none is ahead.
 */
export function createCoveringPaths(
  model: Model,
  { root, situations }: Exploration,
  o: CoverInput,
): readonly TestPath[] {
  const missing = new Uncovered([root, ...situations], o.covered);
  const paths: TestPath[] = [];
  const lengthMax = o.options.lengthMax ?? PATH_LENGTH_MAX;
  while (missing.count > 0) {
    const before = missing.count;
    let walk = new Walk(model, o.input);
    coverFrom(walk, { from: root, missing, lengthMax });
    if (missing.count === before) walk = walkToFirst(new Walk(model, o.input), missing);
    const { inputName } = o;
    const id = `${inputName === '' ? '' : `${inputName}-`}transitions-${paths.length + 1}`;
    paths.push(walk.path({ id, inputName }));
  }
  return paths;
}

/** Inputs of covering paths. */
export interface CoverInput {
  readonly options: PathOptions;
  readonly input: unknown;
  readonly inputName: string;
  readonly covered: Covered;
}

/** Transitions that paths of earlier inputs cover. Every search adds to it. */
export interface Covered {
  readonly transitionIds: Set<string>;
}

/** Transitions and ignored moves that no path covers yet. */
class Uncovered {
  readonly #situations: readonly Situation[];
  /** Moves to try as ignored, once per state value. */
  readonly #ignored = new Map<Situation, Set<Move>>();
  readonly #tried = new Map<Situation, Set<Move>>();
  readonly #missing = new Set<string>();

  constructor(situations: readonly Situation[], { transitionIds }: Covered) {
    const seen = new Set<string>();
    this.#situations = situations;
    for (const situation of situations) {
      for (const id of situation.edges.flatMap((edge) => edge.transitionIds)) {
        if (!transitionIds.has(id)) this.#missing.add(id);
      }
      const news = situation.ignored.filter((move) => isFirstSeen(seen, situation, move));
      if (news.length > 0) this.#ignored.set(situation, new Set(news));
    }
    for (const id of this.#missing) transitionIds.add(id);
  }

  get count(): number {
    const ignored = [...this.#ignored.values()].reduce((sum, moves) => sum + moves.size, 0);
    return this.#missing.size + ignored;
  }

  /** Returns something missing and its situation. */
  firstUncovered(): { readonly at: Situation; readonly edge?: Edge } | undefined {
    for (const at of this.#situations) {
      const edge = at.edges.find((each) => this.isWanted(each));
      if (edge !== undefined) return { at, edge };
      if (this.hasIgnoredAt(at)) return { at };
    }
    return undefined;
  }

  isWanted({ transitionIds }: Edge): boolean {
    return transitionIds.some((id) => this.#missing.has(id));
  }

  /** Returns the moves not yet tried in a situation. A path that passes tries all of them. */
  ignoredAt(situation: Situation): readonly Move[] {
    return situation.ignored.filter((move) => this.#tried.get(situation)?.has(move) !== true);
  }

  hasIgnoredAt(situation: Situation): boolean {
    return (this.#ignored.get(situation)?.size ?? 0) > 0;
  }

  markTaken(transitionIds: readonly string[]): void {
    for (const id of transitionIds) this.#missing.delete(id);
  }

  markIgnored(situation: Situation, move: Move): void {
    this.#ignored.get(situation)?.delete(move);
    const tried = this.#tried.get(situation) ?? new Set();
    this.#tried.set(situation, tried.add(move));
  }
}

/** An ignored event is tried once per state value, with every payload. */
function isFirstSeen(seen: Set<string>, { state }: Situation, { event }: Move): boolean {
  const key = JSON.stringify([state.snapshot.value, event]);
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function coverFrom(
  walk: Walk,
  { from, missing, lengthMax }: { from: Situation; missing: Uncovered; lengthMax: number },
): void {
  let situation: Situation | undefined = tryIgnored(walk, from, missing) ? from : undefined;
  while (situation !== undefined) {
    const way = findNearest(situation, missing);
    if (way === undefined || (walk.length > 0 && walk.length + way.length > lengthMax)) return;
    situation = walkWay(walk, way, missing);
  }
}

/** @returns The end of the way; `undefined` if it deviated from the search. */
function walkWay(walk: Walk, route: readonly Edge[], missing: Uncovered): Situation | undefined {
  let here: Situation | undefined;
  for (const edge of route) {
    const taken = tryEdge(walk, edge);
    missing.markTaken(taken ?? []);
    // A state that differs from the one in the search may have other ways.
    if (taken === undefined || !sameIds(taken, edge.transitionIds)) return undefined;
    here = edge.to;
    if (!tryIgnored(walk, here, missing)) return undefined;
  }
  return here;
}

/** Walks the way by which the search first found something missing. It is always possible. */
function walkToFirst(walk: Walk, missing: Uncovered): Walk {
  const target = missing.firstUncovered();
  if (target === undefined) return walk;
  const way: Edge[] = target.edge === undefined ? [] : [target.edge];
  for (let edge = target.at.parent; edge !== undefined; edge = edge.from.parent) way.unshift(edge);
  for (const edge of way) missing.markTaken(walk.take(edge.move));
  if (target.edge === undefined) tryIgnored(walk, target.at, missing);
  return walk;
}

/** @returns False if the machine reacted to a move and therefore changed its state. */
function tryIgnored(walk: Walk, here: Situation, missing: Uncovered): boolean {
  for (const move of missing.ignoredAt(here)) {
    missing.markIgnored(here, move);
    const taken = walk.take(move);
    missing.markTaken(taken);
    if (taken.length > 0) return false;
  }
  return true;
}

function tryEdge(walk: Walk, { move }: Edge): readonly string[] | undefined {
  try {
    return walk.take(move);
  } catch {
    return undefined;
  }
}

function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, at) => id === other[at]);
}

/** Returns the shortest way to something missing. */
function findNearest(from: Situation, missing: Uncovered): readonly Edge[] | undefined {
  const cameBy = new Map<Situation, Edge | undefined>([[from, undefined]]);
  const queue = [from];
  for (const situation of queue) {
    if (situation !== from && missing.hasIgnoredAt(situation)) return traceWay(situation, cameBy);
    for (const edge of situation.edges) {
      if (missing.isWanted(edge)) return [...traceWay(situation, cameBy), edge];
      if (cameBy.has(edge.to)) continue;
      cameBy.set(edge.to, edge);
      queue.push(edge.to);
    }
  }
  return undefined;
}

function traceWay(
  situation: Situation,
  cameBy: ReadonlyMap<Situation, Edge | undefined>,
): readonly Edge[] {
  const way: Edge[] = [];
  for (let edge = cameBy.get(situation); edge !== undefined; edge = cameBy.get(edge.from)) {
    way.unshift(edge);
  }
  return way;
}
