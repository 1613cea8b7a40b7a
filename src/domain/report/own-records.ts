import type { PublishedAudits } from '../audit/published-audits.ts';
import type { ReputationOf } from '../reputation/reputation.ts';

/** Records of this server about third parties. */
export interface OwnRecords {
  readonly audits: Pick<PublishedAudits, 'list' | 'read'>;
  readonly reputationOf: ReputationOf;
}
