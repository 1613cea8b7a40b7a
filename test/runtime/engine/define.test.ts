import { describe, expect, expectTypeOf, test } from 'vitest';
import { fromPromise, log, sendParent, sendTo, setup } from 'xstate';
import type { EffectsOf } from '../../../src/runtime/engine/define.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import { EngineError } from '../../../src/runtime/engine/error.ts';
import type { LATER } from '../../../src/runtime/engine/types.ts';

const work = fromPromise<string, { readonly n: number }>(() => Promise.resolve(''));
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
    ['an action of its own', { entry: () => undefined }, 'the action entry'],
    ['a named action of its own', { entry: 'own' }, 'own'],
    ['an action that has no meaning', { exit: 'unheard' }, 'unheard'],
    ['a send to a reference', { entry: sendTo('x', { type: 'A' }) }, 'xstate.sendTo'],
    ['a send to a parent', { entry: sendParent({ type: 'A' }) }, 'xstate.sendTo'],
    ['a log', { on: { A: { actions: log('x') } } }, 'xstate.log'],
    ['an action behind an always', { always: { guard: () => false, actions: 'own' } }, 'own'],
    ['an action behind a timer', { after: { 5: { actions: 'own' } } }, 'own'],
    ['an action behind a result', { invoke: { src: 'work', onDone: { actions: 'own' } } }, 'own'],
    ['an effect without a name', { invoke: { src: work } }, 'which setup does not declare'],
    ['a system id', { invoke: { src: 'work', systemId: 's' } }, 'system id'],
  ])('%s is refused by name', (_what, state, words) => {
    const refused = faultsOf(() =>
      define({ kind: 'k', version: 1, machine: machineWith(state), effects: { work: runs } }),
    );
    expect(refused).toContain(words);
  });

  test('effects must be those that the machine declares', () => {
    const machine = machineWith({});
    const none = {} as EffectsOf<typeof machine>;
    const more = { work: runs, other: runs };
    expect(faultsOf(() => define({ kind: 'k', version: 1, machine, effects: none }))).toContain(
      'the effect work has no implementation',
    );
    expect(faultsOf(() => define({ kind: 'k', version: 1, machine, effects: more }))).toContain(
      'the machine declares no actor named other',
    );
  });

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
