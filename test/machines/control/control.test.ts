import { expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import {
  type ControlChange,
  type ControlEvent,
  type ControlLabel,
  controlMachine,
} from '../../../src/machines/control/control.ts';

const change: ControlChange = { to: 'LIVE', who: 'op-1', why: 'reviewed', at: 1_700_000_000_000 };

function control(label: ControlLabel, ...changes: readonly Partial<ControlEvent>[]) {
  let [state] = initialTransition(controlMachine, { controlId: 'payer-binding', label });
  for (const asked of changes) {
    const event = { type: 'CONTROL.CHANGED', role: 'operator', ...change, ...asked } as const;
    [state] = transition(controlMachine, state, event);
  }
  return state;
}

test.each(['LIVE', 'SHADOW', 'OFF'] as const)('a control begins as declared: %s', (label) => {
  const state = control(label);
  expect([state.value, state.context.label, state.context.change]).toEqual([label, label, null]);
});

test('the operator moves a control between all three labels, and says who, why and when', () => {
  const state = control('OFF', { to: 'SHADOW' }, { to: 'LIVE' }, { to: 'OFF', why: 'drill' });
  expect(state.value).toBe('OFF');
  expect(state.context).toMatchObject({
    label: 'OFF',
    change: { ...change, to: 'OFF', why: 'drill' },
    changes: 3,
  });
});

test('nobody else changes a control, and nobody without a name and a reason', () => {
  const refused = [{ role: 'caller' as const }, { who: ' ' }, { why: '' }];
  for (const asked of refused) {
    expect(control('OFF', asked).context).toMatchObject({ label: 'OFF', changes: 0 });
  }
});
