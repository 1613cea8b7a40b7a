import type { Redaction } from './redaction.ts';

const INPUT = [
  'sealId',
  'paymentId',
  'deliverableSha256',
  'agent',
  'agentId',
  'wallet',
  'issuedAt',
  'lifeMs',
];
const USE = ['paymentId', 'deliverableSha256', 'at'];

/** Shows a seal, except the hash of its capability. */
export const sealRedaction: Redaction = {
  kind: 'seal',
  context: [
    ...INPUT,
    ...USE.map((member) => `redemption.${member}`),
    ...[...USE, 'reason'].map((member) => `refusals.*.${member}`),
    'refused',
  ],
  hidden: ['capabilitySha'],
  events: {
    'xstate.init': INPUT.map((member) => `input.${member}`),
    'SEAL.REDEEMED': USE,
  },
};
