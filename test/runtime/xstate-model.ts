import type { AnyActor, AnyStateMachine, AnyStateNode } from 'xstate';
import { createActor, SimulatedClock } from 'xstate';
import type { ActorState, Incoming, Subject } from '../../src/runtime/engine/actor-state.ts';
import { advance, toSnapshotRow } from '../../src/runtime/engine/actor-state.ts';
import type { StoredActor, TailRow } from '../../src/runtime/engine/ports.ts';
import type { Definition, EffectRow, TimerRow } from '../../src/runtime/engine/types.ts';
import { diffChange } from '../../src/runtime/journal/change.ts';
import { replay } from '../../src/runtime/journal/replay.ts';
import { createStateHash, sha256Prefix } from '../../src/runtime/value/state-hash.ts';
import { listTimers, Model, type ModelState } from '../../src/testing/model.ts';
import { Chance } from '../sim/chance.ts';
import { EVENTS } from './random-machine.ts';

/** What all three must agree on. */
interface Seen {
  readonly value: unknown;
  readonly context: unknown;
  readonly status: unknown;
}

/** XState itself: the machine as an actor of its own, with a clock that stands still. */
class Plain {
  readonly actor: AnyActor;
  readonly clock = new SimulatedClock();
  #timeouts = 0;

  constructor(machine: AnyStateMachine) {
    const { clock } = this;
    const counting = {
      setTimeout: (run: () => void, ms: number) => {
        this.#timeouts += 1;
        return clock.setTimeout(() => {
          this.#timeouts -= 1;
          run();
        }, ms);
      },
      clearTimeout: (id: number) => {
        this.#timeouts -= 1;
        clock.clearTimeout(id);
      },
    };
    this.actor = createActor(machine, { clock: counting }).start();
  }

  /**
   * True once two timers of one name run. XState enters an active state again, without leaving it,
   * when a history state leads there; an engine keeps one timer of a name.
   */
  get hasTwins(): boolean {
    const { _scheduledEvents: scheduled } = this.actor.system.getSnapshot();
    return this.#timeouts !== Object.keys(scheduled).length;
  }

  /**
   * True once XState is in states that cannot be active together, such as one whose parent is not:
   * a history state that leads out of the state that is left brings it there.
   */
  get isTorn(): boolean {
    const active = new Set<AnyStateNode>(this.actor.getSnapshot()._nodes);
    return [...active].some(({ type, states, parent }) => {
      if (parent !== undefined && !active.has(parent)) return true;
      const children = Object.values(states).filter((child) => child.type !== 'history');
      const count = children.filter((child) => active.has(child)).length;
      return type === 'parallel' ? count < children.length : type === 'compound' && count !== 1;
    });
  }

  get seen(): Seen {
    const { value, context, status } = this.actor.getSnapshot();
    return { value, context, status };
  }
}

const ID = 'a';

/** What an engine does with one actor, without its store: rows are JSON, as at rest. */
class Engine {
  readonly #subject: Subject;
  readonly #hash = createStateHash(sha256Prefix);
  #moment: ActorState;
  #stored: StoredActor;
  now = 0;

  constructor(definition: Definition) {
    this.#subject = { id: ID, definition, version: 1, createdAt: 0 };
    const init = { event: { type: 'xstate.init' }, cause: { by: 'create' } } as const;
    this.#moment = advance(this.#subject, undefined, init, this.#context(1)).state;
    const row = toSnapshotRow(this.#subject, this.#moment);
    this.#stored = { snapshot: atRest(row), tail: [], timers: [], effects: [] };
  }

  get seen(): Seen {
    const { value, context, status } = this.#moment.snapshot;
    return { value, context, status };
  }

  get timers(): readonly TimerRow[] {
    const rows = [...this.#moment.timers.values()];
    return rows.toSorted((a, b) => a.due - b.due || (a.order ?? 0) - (b.order ?? 0));
  }

  get effects(): readonly EffectRow[] {
    return [...this.#moment.effects.values()];
  }

  take(incoming: Incoming): void {
    const before = this.#moment;
    const { state, entry } = advance(
      this.#subject,
      before,
      incoming,
      this.#context(before.seq + 1),
    );
    const change = diffChange(before, state, incoming.event);
    const tail: readonly TailRow[] = [...this.#stored.tail, atRest({ ...entry, change })];
    this.#stored = { ...this.#stored, tail };
    this.#moment = state;
  }

  /** Fires what is due by `at`, each timer by itself. */
  elapse(at: number): void {
    this.now = at;
    for (;;) {
      const [timer] = this.timers;
      if (timer === undefined || timer.due > at) return;
      const { event, token, timerId } = timer;
      this.take({ event, cause: { by: 'timer', token }, timerId });
    }
  }

  /** Ends the process, and goes on from the rows. */
  restart(): void {
    const { timers, effects } = this.#moment;
    const read = replay(this.#subject, atRest(this.#stored), this.#hash);
    if (textOf([...read.timers.values()]) !== textOf([...timers.values()])) {
      throw new Error('the rows give other timers');
    }
    if (textOf([...read.effects.values()]) !== textOf([...effects.values()])) {
      throw new Error('the rows give other effects');
    }
    this.#moment = read;
  }

  #context(globalSeq: number) {
    return { stamp: { at: this.now, globalSeq }, hash: this.#hash };
  }
}

/** The model of the testing kit. */
class Kit {
  readonly #model: Model;
  #state: ModelState;

  constructor(model: Model) {
    this.#model = model;
    this.#state = model.start(undefined).state;
  }

  get seen(): Seen {
    const { value, context, status } = this.#state.snapshot;
    return { value, context, status };
  }

  event(type: string): void {
    this.#state = this.#model.move(this.#state, { kind: 'event', event: { type } }).state;
  }

  /** The kit moves to one due time after another, and fires all that is due there. */
  elapse(): void {
    const [first] = listTimers(this.#state);
    if (first === undefined) throw new Error('the kit has no timer');
    const { timerId, event, due } = first;
    const move = { kind: 'delay', event, timerId, delayMs: due - this.#state.at } as const;
    this.#state = this.#model.move(this.#state, move).state;
  }

  end(type: string, { childId, src }: EffectRow): void {
    const event = { type, actorId: childId, output: 1, error: { name: 'E', message: 'e' } };
    const move = { kind: 'effect_done', event, childId, src, output: 1 } as const;
    this.#state = this.#model.move(this.#state, move).state;
  }
}

/** How one sequence is played. */
export interface Sequence {
  readonly seed: number;
  readonly moves: number;
  /** Probability of a restart of the engine after a move. */
  readonly restarts: number;
  readonly withKit: boolean;
}

/** Plays sequences of random moves of one machine against XState itself. */
export class Comparison {
  readonly #machine: AnyStateMachine;
  readonly #definition: Definition;
  readonly #model: Model;
  /** Moves that were compared. */
  moves = 0;
  /** Sequences that ended where XState itself would not go on alike after a restore. */
  odd = 0;

  constructor(machine: AnyStateMachine, definition: Definition) {
    this.#machine = machine;
    this.#definition = definition;
    this.#model = new Model(machine);
  }

  /** @returns What differed first; `undefined` when nothing did. */
  play({ seed, moves, restarts, withKit }: Sequence): string | undefined {
    const chance = new Chance('sequence', seed);
    const plain = new Plain(this.#machine);
    const engine = new Engine(this.#definition);
    const kit = withKit ? new Kit(this.#model) : undefined;
    const told = ['begin'];
    try {
      for (let move = 0; move <= moves; move += 1) {
        if (move > 0) told.push(makeMove(chance, { plain, engine, kit }));
        this.moves += 1;
        if (plain.hasTwins || plain.isTorn) {
          this.odd += 1;
          return undefined;
        }
        const fault = differenceOf(plain.seen, engine.seen, kit?.seen);
        if (fault !== undefined) return `${told.join(', ')}: ${fault}`;
        if (engine.seen.status !== 'active') return undefined;
        if (chance.isTrue(restarts)) engine.restart();
      }
      return undefined;
    } catch (error) {
      return `${told.join(', ')}: ${String(error)}`;
    } finally {
      plain.actor.stop();
    }
  }
}

interface Players {
  readonly plain: Plain;
  readonly engine: Engine;
  readonly kit: Kit | undefined;
}

function makeMove(chance: Chance, { plain, engine, kit }: Players): string {
  const kind = chance.weighted({ event: 5, delay: 4, end: 3 });
  const [timer] = engine.timers;
  if (kind === 'delay' && timer !== undefined) {
    kit?.elapse();
    plain.clock.set(timer.due);
    engine.elapse(timer.due);
    return `until ${timer.due}`;
  }
  const effect = engine.effects[0];
  if (kind === 'end' && effect !== undefined) {
    const { childId, token, attempt } = effect;
    const type = `xstate.${chance.pick(['done', 'error'])}.actor.${childId}`;
    const event = { type, actorId: childId, output: 1, error: { name: 'E', message: 'e' } };
    plain.actor.send(event);
    kit?.end(type, effect);
    engine.take({ event, cause: { by: 'effect', token, attempt }, childId });
    return type;
  }
  const type = chance.pick(EVENTS);
  plain.actor.send({ type });
  kit?.event(type);
  engine.take({ event: { type }, cause: { by: 'outside' } });
  return type;
}

function differenceOf(plain: Seen, engine: Seen, kit: Seen | undefined): string | undefined {
  const wanted = textOf(plain);
  if (textOf(engine) !== wanted) return `XState has ${wanted}, the engine ${textOf(engine)}`;
  if (kit === undefined || textOf(kit) === wanted) return undefined;
  return `XState has ${wanted}, the testing kit ${textOf(kit)}`;
}

/** The value as JSON, whatever the order of regions. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function atRest<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
