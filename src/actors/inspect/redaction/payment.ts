import type { Redaction } from './redaction.ts';

/** What was signed and what was bought stay hidden, and of the payer all but an address. */
export const paymentRedaction: Redaction = {
  kind: 'payment',
  context: [
    'paymentId',
    'flow',
    'tool',
    'priceMicroUsd',
    'network',
    'payer',
    'lapseMs',
    'workMs',
    'job.kind',
    'fault.code',
    'transaction',
    'settledAt',
    'lookUps',
    'refundMicroUsd',
    'refundTransaction',
  ],
  hidden: [
    'argsHash',
    'binding',
    'resourceUrl',
    'src',
    // The signature and what it signs.
    'payload',
    'identifierHash',
    // A capability: whoever holds it reads what was bought.
    'jobId',
    'job.input',
    'resultSha',
    // Words of a chain's node, or of a tool about its work.
    'fault.message',
    'refundReason',
  ],
  events: {
    'xstate.init': ['input.flow', 'input.tool', 'input.priceMicroUsd', 'input.network'],
    'xstate.done.actor.check': ['actorId', 'output.fault.code'],
    'xstate.done.actor.*': [
      'actorId',
      'output.state',
      'output.transaction',
      'output.block',
      'output.at',
      'output.fault.code',
    ],
    'WORK.CANCELLED': ['refundMicroUsd'],
  },
};
