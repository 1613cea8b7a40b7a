import { BadgeStatement, THRESHOLDS } from '../../domain/reputation/statements.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { BADGE_VALID_MS, createTrustTool } from './trust-statement.ts';
import { type SubjectInput, subjectMembers, type TrustServices } from './trust-subject.ts';

const PRICE_USD = '0.01';
const DESCRIPTION = [
  'Get the signed trust badge of an agent: gold from 85 points, silver from 70, bronze from 50,',
  'else none. Identify the agent by name, ERC-8004 id or wallet. Use it for a statement that you',
  'can show to others; for the numbers behind the badge use reputation_lookup. Badges are computed',
  'from settled jobs in the public events alone and cannot be bought or claimed. Anyone can verify',
  `the statement without this server. The statement is valid for 24 hours. $${PRICE_USD} per call.`,
  'You are not charged if the call returns an error.',
].join(' ');

/** Creates the tool `agent_trust-badge`. */
export function trustBadgeTool(deps: TrustServices): Tool<SubjectInput> {
  const payload = BadgeStatement;
  return createTrustTool(
    {
      name: 'agent_trust-badge',
      title: 'Trust badge of an agent',
      description: DESCRIPTION,
      summary:
        'Get an agent’s signed trust badge to show to others, valid for 24 hours. It ' +
        'follows from settled jobs. For the figures use reputation_lookup. No charge on ' +
        'error.',
      example: { subject: 'atlas' },
      price: PRICE_USD,
      kind: 'trust_badge',
      payload,
      state: async (looked, { clock }) => {
        const { badge, score, settled_jobs, settled_usd, lost_disputes, as_of } = looked.reputation;
        return {
          ...subjectMembers(looked),
          badge,
          score,
          settled_jobs,
          settled_usd,
          lost_disputes,
          as_of,
          thresholds: THRESHOLDS,
          valid_until: new Date(clock.now() + BADGE_VALID_MS).toISOString(),
        };
      },
    },
    deps,
  );
}
