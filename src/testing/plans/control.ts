import type { PathPlan } from '../path.ts';

const LABELS = ['LIVE', 'SHADOW', 'OFF'] as const;
const AT = 1_700_000_000_000;
const change = { role: 'operator', who: 'op', why: 'drill', at: AT };

/** Path plan of a control, including changes without permission or without a reason. */
export const controlPlan: PathPlan = {
  inputs: Object.fromEntries(
    LABELS.map((label) => [label, { controlId: 'payer-binding', label }] as const),
  ),
  events: {
    'CONTROL.CHANGED': [
      ...LABELS.map((to) => ({ ...change, to })),
      ...LABELS.map((to) => ({ ...change, to, role: 'caller' })),
      ...LABELS.map((to) => ({ ...change, to, why: ' ' })),
    ],
  },
};
