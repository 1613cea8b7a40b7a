import { expect } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { assign, fromPromise, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { Definition, Effect } from '../../../src/runtime/engine/types.ts';
import { worker } from '../../support/actors.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

type Work = Effect<{ readonly n: number }>;

/** Rules of effects that fail themselves, and whatever can be thrown. */
export const ruleClaims: Claims = {
  'a rule that throws or answers nonsense ends its effect, and is reported': async (world) => {
    const boom = () => {
      throw new TypeError('the rule is broken');
    };
    const rules: Readonly<Record<string, Partial<Work>>> = {
      isRetryable: { isRetryable: boom },
      backoff: { backoff: boom },
      'backoff not a number': { backoff: () => Number.NaN },
      'backoff below 0': { backoff: () => -1 },
      'backoff without end': { backoff: () => Number.POSITIVE_INFINITY },
      'backoff a text': { backoff: () => '10' as never },
      retry: { retry: boom },
      'retry not a number': { retry: () => Number.NaN },
      'limit.key': { limit: { max: 1, key: boom } },
    };
    for (const [name, rule] of Object.entries(rules)) {
      world.notices.length = 0;
      const run = async () => {
        throw new Error('socket hang up');
      };
      const said = await endOf(world, `w/${name.replaceAll(' ', '-')}`, { run, ...rule });
      const message = name === 'limit.key' ? 'the rule is broken' : 'socket hang up';
      expect(said, name).toMatchObject({ message });
      expect(world.notices, name).toMatchObject([{ kind: 'effect_rule_failed' }]);
      world.crash();
    }
  },

  'a rule that is asked about a timeout and throws ends the effect': async (world) => {
    const isRetryable = () => {
      throw new Error('broken');
    };
    const run = () => new Promise(() => undefined);
    const engine = await world.start([worker({ run, isRetryable, timeoutMs: 50 })]);
    await engine.create('worker', 'w/1');
    await world.clock.advance(50);
    expect(await engine.view('w/1')).toMatchObject({
      value: 'failed',
      context: { said: { code: 'EFFECT_TIMEOUT' } },
    });
    expect(world.notices).toMatchObject([{ kind: 'effect_rule_failed' }]);
  },

  'whatever is thrown reaches the machine as an error with a text': async (world) => {
    const hostile = new Proxy({}, { get: () => boomed(), has: () => boomed() });
    const thrown: readonly (readonly [unknown, object])[] = [
      [Object.create(null), { name: 'Error', message: '{}' }],
      [Object.assign(new Error(), { message: { detail: 'no' } }), { message: '{"detail":"no"}' }],
      [undefined, { message: 'undefined' }],
      [Symbol('x'), { message: 'Symbol(x)' }],
      [
        { code: 'NO_STOCK', message: 'none left' },
        { code: 'NO_STOCK', message: 'none left' },
      ],
      [Object.assign(new Error('twice'), { code: 11_000 }), { code: '11000', message: 'twice' }],
      [
        new Error('fetch failed', { cause: new Error('refused') }),
        { message: 'fetch failed; caused by refused' },
      ],
      [new AggregateError([new Error('one'), 'two'], 'both'), { message: 'both; one; two' }],
      [10n, { message: '10' }],
      [hostile, { message: 'A value without a message was thrown.' }],
    ];
    for (const [at, [value, error]] of thrown.entries()) {
      const run = async () => {
        throw value;
      };
      expect(await endOf(world, `w/${at}`, { run, attempts: 1 })).toMatchObject(error);
      world.crash();
    }
  },

  'a result that cannot be stored is refused once, by name': async (world) => {
    const ring: { self?: unknown } = {};
    ring.self = ring;
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { o: deep(levels - 1) });
    const results: readonly unknown[] = [
      ring,
      deep(65),
      deep(200),
      new WeakMap(),
      { at: /x/ },
      { rate: Number.NaN },
      new Map([['f', () => 1]]),
      { f: () => 1 },
      new Error('as a value'),
    ];
    for (const [at, result] of results.entries()) {
      let runs = 0;
      const run = async () => {
        runs += 1;
        return result;
      };
      expect(await endOf(world, `w/${at}`, { run })).toMatchObject({
        code: 'EFFECT_OUTPUT_INVALID',
      });
      expect(runs).toBe(1);
      world.crash();
    }
  },

  'a result that poisons is tried again before a later timer, or is a dead letter': async (
    world,
  ) => {
    const engine = await world.start([quote]);
    await engine.create('quote', 'q/1');
    await world.clock.advance(10_000);
    expect(await engine.view('q/1')).toMatchObject({ status: 'stuck', value: 'asking' });
    const { rows } = await engine.deadLetters();
    expect(rows).toMatchObject([
      { actorId: 'q/1', event: { type: 'xstate.done.actor.0.quote.asking' } },
    ]);
    await engine.create('quote', 'q/2');
    await world.clock.advance(1);
    await engine.tell('q/2', { type: 'COUNT', n: 4 });
    await world.clock.advance(10_000);
    expect(await engine.view('q/2')).toMatchObject({ value: 'priced', context: { price: 25 } });
  },
};

function boomed(): never {
  throw new Error('even to look at it throws');
}

/** What the machine of a worker was told of its effect. */
async function endOf(world: EngineWorld, id: string, work: Work): Promise<unknown> {
  const engine = await world.start([worker({ attempts: 2, ...work })]);
  await engine.create('worker', id);
  await world.clock.advance(60_000);
  const view = await engine.view(id);
  expect(view.value).toBe('failed');
  return view.context['said'];
}

/** Divides by its count: a result that comes while the count is 0 is poison. */
const quote: Definition = define({
  kind: 'quote',
  version: 1,
  machine: setup({
    types: {} as {
      context: { price: number; count: number };
      events: { type: 'COUNT'; n: number };
    },
    actors: { ask: fromPromise<number>(() => Promise.reject(new Error('run'))) },
  }).createMachine({
    id: 'quote',
    context: { price: 1, count: 0 },
    initial: 'asking',
    on: { COUNT: { actions: assign({ count: ({ event }) => event.n }) } },
    states: {
      asking: {
        invoke: {
          src: 'ask',
          onDone: {
            target: 'priced',
            actions: assign({ price: ({ context, event }) => event.output / context.count }),
          },
          onError: 'failed',
        },
        after: { 600: 'late' },
      },
      priced: {},
      failed: {},
      late: {},
    },
  }) as AnyStateMachine,
  effects: { ask: { run: async () => 100 } } as never,
});
