import type { PublishedAudits } from '../audit/published-audits.ts';
import type { ReputationOf } from '../reputation/reputation.ts';

/** What this server has on record of others. */
export interface OwnRecords {
  readonly audits: Pick<PublishedAudits, 'list' | 'read'>;
  readonly reputationOf: ReputationOf;
}
