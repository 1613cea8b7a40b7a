import { ReputationStatement } from '../../domain/reputation/statements.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { createTrustTool } from './trust-statement.ts';
import { type SubjectInput, subjectMembers, type TrustServices } from './trust-subject.ts';

const PRICE_USD = '0.01';
const DESCRIPTION = [
  'Get the track record of a counterparty from its settled jobs. Returns score 0 to 100, badge,',
  'jobs, dollars, counterparties, disputes, refunds, and excluded jobs (self-dealing, circular',
  'payments). Identify it by agent name, ERC-8004 id or wallet. Use it as a quick check; before',
  'you grant spend authority use agent_prehire-check. An agent without history has score 0 and',
  'badge none; that is a normal result. The record comes from the public events at /v1/events',
  'alone, never from the agent’s own claims. Anyone can recompute it with `stoa reputation`. The',
  `answer is signed. $${PRICE_USD} per call. You are not charged if the call returns an error.`,
].join(' ');

/** Creates the tool `reputation_lookup`. */
export function reputationLookupTool(deps: TrustServices): Tool<SubjectInput> {
  const payload = ReputationStatement;
  return createTrustTool(
    {
      name: 'reputation_lookup',
      title: 'Reputation of an agent',
      description: DESCRIPTION,
      summary:
        'Get an agent’s track record from settled jobs: score 0 to 100, badge, dollars, ' +
        'disputes, refunds. Before you grant spending use agent_prehire-check. No ' +
        'charge on error.',
      example: { subject: 'atlas' },
      price: PRICE_USD,
      kind: 'reputation',
      payload,
      state: async (looked) => ({ ...subjectMembers(looked), reputation: looked.reputation }),
    },
    deps,
  );
}
