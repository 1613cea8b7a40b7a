import type { Redaction } from './redaction.ts';

/** Controls belong to the operator and contain no secrets. */
export const controlRedaction: Redaction = {
  kind: 'control',
  context: ['controlId', 'label', 'change.to', 'change.who', 'change.why', 'change.at', 'changes'],
  hidden: [],
  events: {
    'xstate.init': ['input.controlId', 'input.label'],
    'CONTROL.CHANGED': ['role', 'to', 'who', 'why', 'at'],
  },
};
