import type { Redaction } from './redaction.ts';

const TERMS = ['delegator', 'delegate', 'scope.*', 'expires_at', 'depth', 'parent_id', 'origin'];

/** Shows delegations, which are public. Their signatures are only in the delegation's own read. */
export const delegationRedaction: Redaction = {
  kind: 'delegation',
  context: [
    ...['delegationId', 'grantedAt', 'revoked.at', 'revoked.reason'],
    ...TERMS.map((term) => `delegation.${term}`),
  ],
  hidden: ['signature', 'delegation.nonce'],
  events: {
    'xstate.init': ['input.delegationId', ...TERMS.map((term) => `input.delegation.${term}`)],
    'DELEGATION.REVOKED': ['reason', 'at'],
  },
};
