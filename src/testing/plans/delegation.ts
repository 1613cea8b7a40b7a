import type { DelegationInput } from '../../machines/passport/delegation.ts';
import type { PathPlan } from '../path.ts';

const AT = 1_700_000_000_000;

const granted: DelegationInput = {
  delegationId: `dlg_${'d'.repeat(64)}`,
  delegation: {
    delegator: `0x${'a1'.repeat(20)}`,
    delegate: `0x${'b2'.repeat(20)}`,
    scope: ['research.*'],
    expires_at: '2026-01-02T00:00:00Z',
    depth: 1,
    parent_id: `dlg_${'c'.repeat(64)}`,
    nonce: `0x${'e'.repeat(64)}`,
  },
  signature: '0x01',
  grantedAt: AT,
};

/** Path plan of a delegation. */
export const delegationPlan: PathPlan = {
  inputs: { granted },
  events: {
    'DELEGATION.REVOKED': [{ reason: 'the work is done', at: AT }],
    'DELEGATION.FORGOTTEN': [{}],
  },
};
