import type { PathPlan } from '../path.ts';

const LABELS = ['LIVE', 'SHADOW', 'OFF'] as const;
const AT = 1_700_000_000_000;
const asked = { role: 'operator', who: 'op', why: 'drill', at: AT };

/** Everything that may be asked of a control, also by those who may not and without a reason. */
export const controlPlan: PathPlan = {
  inputs: Object.fromEntries(
    LABELS.map((label) => [label, { controlId: 'payer-binding', label }] as const),
  ),
  events: {
    'CONTROL.CHANGED': [
      ...LABELS.map((to) => ({ ...asked, to })),
      ...LABELS.map((to) => ({ ...asked, to, role: 'caller' })),
      ...LABELS.map((to) => ({ ...asked, to, why: ' ' })),
    ],
  },
};
