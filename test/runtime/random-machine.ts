import type { AnyStateMachine } from 'xstate';
import { assign, cancel, fromCallback, raise, setup } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';
import { type Definition, LATER } from '../../src/runtime/engine/types.ts';
import { Chance } from '../sim/chance.ts';

/** Events that a sequence may send. */
export const EVENTS = ['A', 'B', 'C'] as const;
const RAISED = ['R', 'S'] as const;
const DELAYS_MS = [5, 10, 10, 15, 20];
const DEPTH_MAX = 2;
const LOG_MAX = 12;

/** What every random machine remembers: the events that it took, in order, and a count. */
export interface RandomContext {
  readonly n: number;
  readonly log: readonly string[];
  readonly last: { readonly by: string; readonly at: number };
}

type Config = Readonly<Record<string, unknown>>;

/** Makes a machine with parallel and nested states, history, timers, guards and effects. */
export function randomMachine(seed: number): AnyStateMachine {
  const chance = new Chance(seed);
  const states = new States(chance);
  const root = states.compound('m', 0, 3 + chance.below(3));
  states.aim();
  // Results of effects are sent by the test: nothing of a child runs by itself.
  const idle = fromCallback(() => undefined);
  const machine: unknown = setup({
    actors: { work: idle, more: idle } as never,
    guards: {
      isEven: ({ context }) => (context as RandomContext).n % 2 === 0,
      isThird: ({ context }) => (context as RandomContext).n % 3 === 1,
    },
    actions: {
      note: assign(({ context, event }) => noted(context as RandomContext, event.type)) as never,
    },
  }).createMachine({
    id: 'm',
    context: { n: 0, log: [], last: { by: '', at: 0 } },
    ...root,
  } as never);
  return machine as AnyStateMachine;
}

/** The same machine for an engine. */
export function randomDefinition(machine: AnyStateMachine): Definition {
  const later = { run: async () => LATER };
  const effects = { work: later, more: later };
  return define({ kind: 'm', version: 1, machine, effects: effects as never });
}

function noted({ n, log }: RandomContext, type: string): RandomContext {
  return { n: n + 1, log: [...log, type].slice(-LOG_MAX), last: { by: type, at: n } };
}

class States {
  readonly #chance: Chance;
  /** Ids of all states. */
  readonly #ids: string[] = [];
  /** Transitions whose target is chosen once all states are known. */
  readonly #aimless: { target?: string }[] = [];
  #count = 0;
  #timers = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Gives every transition that leads somewhere its target. */
  aim(): void {
    for (const transition of this.#aimless) transition.target = `#${this.#chance.pick(this.#ids)}`;
  }

  compound(name: string, depth: number, size: number): Config {
    const names = Array.from({ length: size }, () => this.#name());
    this.#ids.push(...names);
    const states = Object.fromEntries(names.map((each) => [each, this.#state(each, depth + 1)]));
    const withHistory =
      this.#chance.isTrue(0.3) && depth > 0
        ? { ...states, [`h${name}`]: this.#history(name) }
        : states;
    return { initial: names[0], states: withHistory };
  }

  #history(name: string): Config {
    this.#ids.push(`h${name}`);
    return { id: `h${name}`, type: 'history', history: this.#chance.pick(['shallow', 'deep']) };
  }

  #name(): string {
    this.#count += 1;
    return `s${this.#count}`;
  }

  #state(name: string, depth: number): Config {
    const chance = this.#chance;
    const own = { id: name, ...this.#behaviour() };
    if (depth >= DEPTH_MAX || chance.isTrue(0.5)) return own;
    if (chance.isTrue(0.5)) return { ...own, ...this.compound(name, depth, 2) };
    const regions = [this.#name(), this.#name()];
    const states = Object.fromEntries(
      regions.map((region) => [region, { id: region, ...this.compound(region, depth + 1, 2) }]),
    );
    return { ...own, type: 'parallel', states };
  }

  #behaviour(): Config {
    const chance = this.#chance;
    const events = [...EVENTS, ...RAISED].filter(() => chance.isTrue(0.5));
    const on = Object.fromEntries(events.map((type) => [type, this.#transitions()]));
    const config: Record<string, unknown> = { on };
    if (chance.isTrue(0.4)) {
      const delays = new Set([chance.pick(DELAYS_MS), chance.pick(DELAYS_MS)]);
      config['after'] = Object.fromEntries([...delays].map((ms) => [ms, this.#transitions()]));
    }
    if (chance.isTrue(0.3)) {
      const invoke = { src: chance.pick(['work', 'more']), onDone: this.#transitions() };
      // An error that nothing handles ends an actor of XState, and is poison to an engine.
      config['invoke'] = { ...invoke, onError: [...this.#transitions(), { actions: 'note' }] };
    }
    if (chance.isTrue(0.3)) config['entry'] = ['note', ...this.#raises()];
    if (chance.isTrue(0.2)) config['exit'] = ['note'];
    if (chance.isTrue(0.1)) {
      // It must come to rest: whenever the guard holds, the note makes it fail.
      config['always'] = { guard: 'isThird', actions: 'note' };
    }
    return config;
  }

  #transitions(): readonly Config[] {
    const chance = this.#chance;
    return Array.from({ length: 1 + chance.below(2) }, (_, at) => {
      const transition: Record<string, unknown> & { target?: string } = {
        actions: ['note', ...this.#raises()],
      };
      if (at === 0 && chance.isTrue(0.4)) transition['guard'] = chance.pick(['isEven', 'isThird']);
      if (chance.isTrue(0.2)) transition['reenter'] = true;
      if (chance.isTrue(0.6)) this.#aimless.push(transition);
      return transition;
    });
  }

  /** Timers that are set beside those of states: without ids, or with one that is set anew. */
  #raises(): readonly unknown[] {
    const chance = this.#chance;
    if (!chance.isTrue(0.3)) return [];
    const event = { type: chance.pick(RAISED) };
    const delay = chance.pick(DELAYS_MS);
    if (chance.isTrue(0.6)) return [raise(event, { delay })];
    this.#timers += 1;
    const id = `t${1 + (this.#timers % 3)}`;
    return [cancel(id), raise(event, { id, delay })];
  }
}
