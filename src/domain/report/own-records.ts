import type { PublishedAudits } from '../audit/published-audits.ts';
import type { ReadReputation } from '../reputation/reputation.ts';

/** Records of this server about third parties. */
export interface LocalRecords {
  readonly audits: Pick<PublishedAudits, 'list' | 'read'>;
  readonly reputationOf: ReadReputation;
}
