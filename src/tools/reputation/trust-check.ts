import { THRESHOLDS, TrustCheckStatement } from '../../domain/reputation/statements.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { BADGE_VALID_MS, createTrustTool } from './trust-statement.ts';
import { type SubjectInput, subjectMembers, type TrustServices } from './trust-subject.ts';

const DESCRIPTION = [
  'Get the settlement record of an agent and its trust badge in one signed answer, over one plain',
  'HTTP request without signup or API key. Identify the agent by name, ERC-8004 id or wallet.',
].join(' ');

/** Creates the trust check, which is sold over plain HTTP and is not one of the 40 tools. */
export function trustCheckService(deps: TrustServices): Tool<SubjectInput> {
  const payload = TrustCheckStatement;
  return createTrustTool(
    {
      name: 'trust-check',
      title: 'Settlement record and trust badge',
      description: DESCRIPTION,
      summary: DESCRIPTION,
      example: { subject: 'atlas' },
      price: '0.02',
      kind: 'trust_check',
      payload,
      state: async (looked, { clock }) => ({
        ...subjectMembers(looked),
        badge: looked.reputation.badge,
        score: looked.reputation.score,
        settlement_record: looked.reputation,
        thresholds: THRESHOLDS,
        valid_until: new Date(clock.now() + BADGE_VALID_MS).toISOString(),
      }),
    },
    deps,
  );
}
