import { AppError } from '../domain/common/error.ts';
import { EngineError } from '../runtime/engine/error.ts';
import { type Model, type ModelState, planViewOf, viewOf } from './model.ts';
import { isEventNamed, listWaits, type MoveGenerator } from './moves.ts';
import type { Move, PathOptions, SearchBound } from './path.ts';

/** Default maximum number of situations of a search. */
const DEFAULT_SITUATIONS_MAX = 5_000;
/** Default maximum number of steps from the start. */
const DEFAULT_LENGTH_MAX = 200;

/** A move out of a situation. */
export interface Edge {
  readonly from: Situation;
  readonly to: Situation;
  readonly move: Move;
  readonly transitionIds: readonly string[];
}

/** A distinguishable situation of a machine, with the shortest way to it. */
export interface Situation {
  readonly key: string;
  /** The first state found there. Other states may count as the same situation. */
  readonly state: ModelState;
  readonly parent?: Edge;
  readonly depth: number;
  readonly edges: Edge[];
  /** Moves that the machine ignores here. */
  readonly ignored: Move[];
}

/** Result of a search. */
export interface Exploration {
  readonly root: Situation;
  /** In order of discovery, nearest first. */
  readonly situations: readonly Situation[];
  readonly transitionIds: ReadonlySet<string>;
  readonly poisons: readonly string[];
  /** What cut the search short; if empty, it reached all that can be reached. */
  readonly bounds: ReadonlySet<SearchBound>;
}

/** Inputs of a search. */
export interface SearchOptions {
  readonly options: PathOptions;
  readonly input: unknown;
  /** Transitions that suffice to end a search that reaches its limit. */
  readonly wanted: readonly string[];
}

/**
 * Searches for wanted transitions that a first search did not reach. Each time it keeps more
 * contexts apart. With the time `around`, it also lets time pass between due times.
 *
 * @returns The search that reached most, with the bounds of the deepest.
 */
export function exploreDeeper(
  model: Model,
  moves: MoveGenerator,
  o: SearchOptions & { readonly found: Exploration },
): Exploration {
  const { situationsMax = DEFAULT_SITUATIONS_MAX, time } = o.options;
  const isAround = time === 'around';
  let best = o.found;
  let contextsMax = CONTEXTS_FACTOR;
  for (let last = best; contextsMax <= situationsMax; contextsMax *= CONTEXTS_FACTOR) {
    const isDone = o.wanted.every((id) => last.transitionIds.has(id));
    const isDeepest = !last.bounds.has('contexts') && !(isAround && last.bounds.has('time'));
    if (isDone || isDeepest) return best;
    const hasWaits = isAround && last.bounds.has('time');
    const depth = { contextsMax, hasWaits };
    last = new MachineSearch(model, moves, o.options, depth).run(o.input, o.wanted);
    const isBetter = last.transitionIds.size > best.transitionIds.size;
    best = isBetter ? last : { ...best, bounds: last.bounds };
    if (last.bounds.has('situationsMax')) return best;
  }
  return best;
}

/** How many times more contexts are kept apart in the next search. */
const CONTEXTS_FACTOR = 4;

/**
 * Finds all situations reachable from an input, nearest first.
 *
 * @throws {AppError} `PATHS_BOUND` naming `situationsMax`.
 */
export function explore(model: Model, moves: MoveGenerator, o: SearchOptions): Exploration {
  const search = new MachineSearch(model, moves, o.options, undefined);
  return search.run(o.input, o.wanted);
}

/** A possible successor of a state, computed once for keys and edges. */
interface Successor {
  readonly move: Move;
  readonly state: ModelState;
  readonly transitionIds: readonly string[];
}

/** How far a repeated search goes. */
interface SearchDepth {
  /** Number of contexts kept apart in situations that have all else in common. */
  readonly contextsMax: number;
  readonly hasWaits: boolean;
}

class MachineSearch {
  readonly #model: Model;
  readonly #moves: MoveGenerator;
  readonly #options: PathOptions;
  readonly #successors = new WeakMap<ModelState, readonly Successor[]>();
  readonly #byKey = new Map<string, Situation>();
  /** Keys by complete state, which avoid the lookahead for a known state. */
  readonly #keys = new Map<string, string>();
  /** Number of contexts that are kept apart, by what they have in common. */
  readonly #contexts = new Map<string, number>();
  readonly #bounds = new Set<SearchBound>();
  readonly #depth: SearchDepth | undefined;
  readonly #seen = new Set<string>();
  readonly #poisons = new Set<string>();

  constructor(
    model: Model,
    moves: MoveGenerator,
    options: PathOptions,
    depth: SearchDepth | undefined,
  ) {
    this.#model = model;
    this.#moves = moves;
    this.#options = options;
    this.#depth = depth;
  }

  run(input: unknown, wanted: readonly string[]): Exploration {
    const { situationsMax = DEFAULT_SITUATIONS_MAX, lengthMax = DEFAULT_LENGTH_MAX } =
      this.#options;
    const initial = this.#model.start(input);
    for (const id of initial.transitionIds) this.#seen.add(id);
    const root = this.#situation(initial.state, undefined);
    const queue = [root];
    for (let next = 0; next < queue.length; next += 1) {
      const situation = queue[next] as Situation;
      if (situation.depth >= lengthMax) {
        this.#bounds.add('lengthMax');
        continue;
      }
      if (queue.length > situationsMax) {
        this.#bounds.add('situationsMax');
        if (this.#depth !== undefined || wanted.every((id) => this.#seen.has(id))) break;
        throw this.#limitError(situationsMax, wanted);
      }
      queue.push(...this.#expand(situation));
    }
    const poisons = [...this.#poisons];
    const bounds = this.#bounds;
    return { root, situations: queue, transitionIds: this.#seen, poisons, bounds };
  }

  /** @returns New situations. */
  #expand(from: Situation): readonly Situation[] {
    const found: Situation[] = [];
    for (const { move, state, transitionIds } of this.#listSuccessors(from.state)) {
      if (transitionIds.length === 0 && move.kind !== 'wait') {
        this.#recordIgnored(from, move);
        continue;
      }
      for (const id of transitionIds) this.#seen.add(id);
      const key = this.#keyOf(state);
      const existing = this.#byKey.get(key);
      const to = existing ?? this.#situation(state, { from, move, transitionIds });
      from.edges.push({ from, to, move, transitionIds });
      if (existing === undefined) found.push(to);
    }
    return found;
  }

  #recordIgnored({ state, ignored }: Situation, move: Move): void {
    const { ignored: wanted = 'guarded' } = this.#options;
    if (wanted === 'none' || move.kind !== 'event') return;
    if (wanted === 'all' || isEventNamed(state, move.event.type)) ignored.push(move);
  }

  #situation(state: ModelState, by: Omit<Edge, 'to'> | undefined): Situation {
    const key = this.#keyOf(state);
    const depth = by === undefined ? 0 : by.from.depth + 1;
    const place = { key, state, depth, edges: [], ignored: [] };
    if (by === undefined) {
      this.#byKey.set(key, place);
      return place;
    }
    const parent = { ...by, to: place as Situation };
    const situation: Situation = Object.assign(place, { parent });
    this.#byKey.set(key, situation);
    return situation;
  }

  #listSuccessors(state: ModelState): readonly Successor[] {
    const cached = this.#successors.get(state);
    if (cached !== undefined) return cached;
    const isOver = this.#options.stopWhen?.(planViewOf(state)) === true;
    if (isOver && state.snapshot.status === 'active') this.#bounds.add('stopWhen');
    if (state.timers.size > 1) this.#bounds.add('time');
    const waits = this.#depth?.hasWaits === true && state.timers.size > 0 ? listWaits(state) : [];
    const moves = isOver ? [] : [...this.#moves.listMoves(state), ...waits];
    const outlook = moves.flatMap((move) => {
      const moved = this.#tryMove(state, move);
      return moved === undefined ? [] : [{ move, ...moved }];
    });
    this.#successors.set(state, outlook);
    return outlook;
  }

  #tryMove(state: ModelState, move: Move): Omit<Successor, 'move'> | undefined {
    try {
      return this.#model.move(state, move);
    } catch (thrown) {
      if (!(thrown instanceof EngineError)) throw thrown;
      const stateId = viewOf(state).stateIds.at(-1) ?? '';
      this.#poisons.add(`${stateId}: ${thrown.message}`);
      return undefined;
    }
  }

  #keyOf(state: ModelState): string {
    const { facets } = this.#options;
    const view = planViewOf(state);
    const position = [
      view.value,
      view.status,
      state.snapshot.historyValue === undefined ? null : listHistory(state),
      view.timers.map(({ timerId }) => timerId),
      view.effects.map(({ childId }) => childId),
    ];
    const effects = view.effects.map(({ src, input }) => [src, input]);
    const timers = [...state.timers.values()].map(({ due, event }) => [due - state.at, event]);
    const completeKey = JSON.stringify([position, timers, effects, view.context]);
    const known = this.#keys.get(completeKey);
    if (known !== undefined) return known;
    const common =
      facets === undefined
        ? this.#listSuccessors(state).map(({ transitionIds }) => transitionIds)
        : facets(view.context, view);
    const key = this.#numberContext(JSON.stringify([position, common]));
    this.#keys.set(completeKey, key);
    return key;
  }

  /** Returns a key of its own for each context up to the limit; further ones share the first. */
  #numberContext(common: string): string {
    const count = this.#contexts.get(common) ?? 0;
    this.#contexts.set(common, count + 1);
    if (count < (this.#depth?.contextsMax ?? 1)) return count === 0 ? common : `${common}#${count}`;
    this.#bounds.add(this.#options.facets === undefined ? 'contexts' : 'facets');
    return common;
  }

  #limitError(limit: number, wanted: readonly string[]): AppError {
    const missing = wanted.filter((id) => !this.#seen.has(id));
    const message =
      `the machine has more than ${limit} situations (situationsMax). Use facets to select what ` +
      'matters in its context, or stopWhen to end paths';
    return new AppError('PATHS_BOUND', {
      message,
      data: { bound: 'situationsMax', limit, missing: missing.slice(0, MISSING_MAX) },
    });
  }
}

/** Maximum number of transitions named in an error. */
const MISSING_MAX = 20;

function listHistory({ snapshot }: ModelState): unknown {
  const history = snapshot.historyValue as Readonly<Record<string, readonly { id: string }[]>>;
  return Object.entries(history).map(([key, nodes]) => [key, nodes.map(({ id }) => id)]);
}
