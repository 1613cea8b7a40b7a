import type { Redaction } from './redaction.ts';

/** Hides what was signed and bought, and everything about the payer except the address. */
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
    // The signature and the signed data.
    'payload',
    'identifierHash',
    // A capability: its holder can read what was bought.
    'jobId',
    'job.input',
    'resultSha',
    // Text from a chain node, or from a tool about its work.
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
