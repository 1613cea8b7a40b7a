import type { Redaction } from './redaction.ts';

/** Controls are the operator's own: nothing in them is a secret. */
export const controlRedaction: Redaction = {
  kind: 'control',
  context: ['controlId', 'label', 'change.to', 'change.who', 'change.why', 'change.at', 'changes'],
  hidden: [],
  events: {
    'xstate.init': ['input.controlId', 'input.label'],
    'CONTROL.CHANGED': ['role', 'to', 'who', 'why', 'at'],
  },
};
