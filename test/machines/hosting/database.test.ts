import { expect, test } from 'vitest';
import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import { databaseMachine } from '../../../src/machines/hosting/database.ts';
import type { Ev } from '../../../src/runtime/engine/types.ts';

const record = (name: string) => ({ id: 'dpg-1', name, plan: 'free', ipAllowList: [] });
const changed = (name: string): Ev => ({ type: 'CONFIG.CHANGED', record: record(name) });
const done = (effect: string): Ev => ({
  type: `xstate.done.actor.${effect}`,
  output: { ok: true },
});

/** Where a database stands after events, and what the last one had begun. */
function after(...events: readonly Ev[]) {
  const input = { record: record('first'), sealedSecrets: '' };
  let [state, begun] = initialTransition(databaseMachine, input as never);
  for (const event of events) [state, begun] = transition(databaseMachine, state, event as never);
  return { value: (state as AnyMachineSnapshot).value, begun: begun.map(effectOf) };
}

/** The name of an effect that is begun, and the record that it is given. */
function effectOf({ type, params }: { readonly type: string; readonly params?: unknown }) {
  const { src, input } = (params ?? {}) as {
    readonly src?: string;
    readonly input?: { readonly record: { readonly name: string } };
  };
  return [type, src, input?.record.name];
}

test('a change that comes while another is being taken is taken too', () => {
  const available = [done('make'), done('start')];
  const { value, begun } = after(...available, changed('second'), changed('third'));
  expect(value).toEqual({ available: 'reloading' });
  expect(begun).toContainEqual(['xstate.spawnChild', 'reload', 'third']);
});

test('a change that comes while the server starts has it started with that', () => {
  const { value, begun } = after(done('make'), changed('second'));
  expect(value).toBe('recovery_in_progress');
  expect(begun).toContainEqual(['xstate.spawnChild', 'start', 'second']);
});
