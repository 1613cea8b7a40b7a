import { BadgeStatement, THRESHOLDS } from '../../domain/reputation/statements.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { BADGE_VALID_MS, trustTool } from './trust-statement.ts';
import { aboutOf, type SubjectInput, type TrustToolDeps } from './trust-subject.ts';

const DESCRIPTION = [
  'Answers with the trust badge of an agent (gold from 85 points, silver from 70, bronze from 50,',
  'else none), by agent name, ERC-8004 id or wallet. The badge follows from settled jobs in the',
  'public events alone; nobody can buy or claim one. The statement is signed, can be shown to',
  'others and checked without this server, and says until when it may be shown (24 hours).',
].join(' ');

/** The tool that states the badge of an agent. */
export function trustBadgeTool(deps: TrustToolDeps): Tool<SubjectInput> {
  const payload = BadgeStatement;
  return trustTool(
    {
      name: 'agent_trust-badge',
      title: 'Trust badge',
      description: DESCRIPTION,
      ...{ price: '0.01', kind: 'trust_badge', payload },
      state: async (looked, { clock }) => {
        const { badge, score, settled_jobs, settled_usd, lost_disputes, as_of } = looked.reputation;
        return {
          ...aboutOf(looked),
          ...{ badge, score, settled_jobs, settled_usd, lost_disputes, as_of },
          thresholds: THRESHOLDS,
          valid_until: new Date(clock.now() + BADGE_VALID_MS).toISOString(),
        };
      },
    },
    deps,
  );
}
