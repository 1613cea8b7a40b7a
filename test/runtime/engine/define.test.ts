import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  fromCallback,
  fromPromise,
  fromTransition,
  log,
  sendParent,
  sendTo,
  setup,
  spawnChild,
} from 'xstate';
import type { EffectsOf } from '../../../src/runtime/engine/define.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import { EngineError } from '../../../src/runtime/engine/error.ts';
import type { LATER } from '../../../src/runtime/engine/types.ts';

const work = fromPromise<string, { readonly n: number }>(() => Promise.resolve(''));
const callback = fromCallback(() => undefined);
const runs = { run: async () => 'x' };

describe('define', () => {
  test('a machine of rows only is accepted', () => {
    expect(
      define({ kind: 'k', version: 1, machine: machineWith({}), effects: { work: runs } }),
    ).toMatchObject({
      kind: 'k',
      version: 1,
      migrations: [],
    });
  });

  test('effects are typed by the actors of the machine', () => {
    const machine = setup({ actors: { work } }).createMachine({ id: 'm' });
    type Work = EffectsOf<typeof machine>['work']['run'];
    expectTypeOf<keyof EffectsOf<typeof machine>>().toEqualTypeOf<'work'>();
    expectTypeOf<Parameters<Work>[0]>().toEqualTypeOf<{ readonly n: number }>();
    expectTypeOf<ReturnType<Work>>().toEqualTypeOf<Promise<string | typeof LATER>>();
  });

  test.each([
    ['an action that has no meaning', { exit: 'unheard' }, 'm.on/exit/0 has the action unheard'],
    ['an unheard action behind a timer', { after: { 5: { actions: 'unheard' } } }, 'unheard'],
    [
      'an unheard action behind a result',
      { invoke: { src: 'work', onDone: { actions: 'unheard' } } },
      'unheard',
    ],
    [
      'an inline function of transitions',
      { invoke: { src: fromTransition((n: number) => n, 0) } },
      'no promise, callback, observable or machine',
    ],
    ['a spawn without a name', { entry: spawnChild(work, { id: 'w' }) }, 'declare it in setup'],
    [
      'a spawn with an empty system id',
      { entry: spawnChild('work', { id: 'w', systemId: '' }) },
      'spawns work with the system id ""; it must have 1 to 256 printable characters',
    ],
    ['a long system id', { invoke: { src: 'work', systemId: 's'.repeat(300) } }, 'invokes work'],
  ])('%s is refused by name', (_what, state, words) => {
    const refused = faultsOf(() =>
      define({ kind: 'k', version: 1, machine: machineWith(state), effects: { work: runs } }),
    );
    expect(refused).toContain(words);
  });

  test.each([
    ['an action of its own', { entry: () => undefined }],
    ['a named action of its own', { entry: 'own' }],
    ['a send to a child', { entry: sendTo('x', { type: 'A' }) }],
    ['a send to a parent', { entry: sendParent({ type: 'A' }) }],
    ['a log', { on: { A: { actions: log('x') } } }],
    ['a promise inside of its state', { invoke: { src: work } }],
    ['a callback inside of its state', { invoke: { src: callback } }],
  ])('%s is accepted', (_what, state) => {
    expect(faultsOf(() => define({ kind: 'k', version: 1, machine: machineWith(state) }))).toBe(
      'nothing was refused',
    );
  });

  test('effects must be those that the machine declares', () => {
    const machine = machineWith({});
    const more = { work: runs, other: runs };
    expect(faultsOf(() => define({ kind: 'k', version: 1, machine, effects: more }))).toContain(
      'the machine declares no actor named other',
    );
  });
});

describe('versions and bounds', () => {
  test.each([
    [0, []],
    [1.5, []],
    [3, [1, 1]],
    [2, [2]],
  ])('version %s with migrations from %j is refused', (version, froms) => {
    const migrations = froms.map((from) => ({ from, migrate: (actor: never) => actor }));
    const source = { kind: 'k', version, machine: machineWith({}), effects: { work: runs } };
    expect(() => define({ ...source, migrations })).toThrow(EngineError);
  });
});

describe('bounds', () => {
  test.each([
    [{ attempts: 0 }, 'attempts of work is 0'],
    [{ attempts: Number.NaN }, 'attempts of work is NaN'],
    [{ attempts: -1 }, 'attempts of work is -1'],
    [{ timeoutMs: 0 }, 'timeoutMs of work is 0'],
    [{ heartbeatMs: Number.NaN }, 'heartbeatMs of work is NaN'],
    [{ limit: { max: 0, key: () => 'k' } }, 'limit.max of work is 0'],
  ])('an effect with %o is refused by name', (bounds, words) => {
    const effects = { work: { ...runs, ...bounds } };
    const source = { kind: 'k', version: 1, machine: machineWith({}), effects };
    expect(faultsOf(() => define(source))).toContain(words);
  });

  test('a timer or an effect with a name over the bound is refused', () => {
    const long = 'x'.repeat(300);
    const refused = (state: Readonly<Record<string, unknown>>) =>
      faultsOf(() => {
        const machine = machineWith(state);
        return define({ kind: 'k', version: 1, machine, effects: { work: runs } });
      });
    const limit = 'the maximum for a timer or an effect is 256';
    expect(refused({ invoke: { src: 'work', id: long } })).toContain(limit);
    expect(refused({ initial: long, states: { [long]: { after: { 5: {} } } } })).toContain(limit);
  });

  test.each([
    [{ rows: 0 }, 'keep.rows'],
    [{ rows: 1.5 }, 'keep.rows'],
    [{ ageMs: -1 }, 'keep.ageMs'],
  ])('a bound of %j on the journal is refused by name', (keep, words) => {
    const machine = machineWith({});
    const source = { kind: 'k', version: 1, machine, effects: { work: runs }, keep };
    expect(faultsOf(() => define(source))).toContain(words);
    expect(define({ ...source, keep: { rows: 1, ageMs: 1 } }).keep).toEqual({ rows: 1, ageMs: 1 });
  });
});

function faultsOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof EngineError && error.code === 'DEFINITION_INVALID') return error.message;
    throw error;
  }
  return 'nothing was refused';
}

function machineWith(state: Readonly<Record<string, unknown>>) {
  return setup({ actors: { work }, actions: { own: () => undefined } }).createMachine({
    id: 'm',
    initial: 'on',
    states: { on: state },
  });
}
