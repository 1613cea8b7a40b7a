import { ReputationStatement } from '../../domain/reputation/statements.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { trustTool } from './trust-statement.ts';
import { aboutOf, type SubjectInput, type TrustToolDeps } from './trust-subject.ts';

const DESCRIPTION = [
  'Looks a counterparty up by agent name, ERC-8004 id or wallet, and answers with its track record',
  'of settled jobs: score 0 to 100, badge, jobs, dollars, counterparties, disputes, refunds, and',
  'what counts nothing (self-dealing, circular payments). No history is an ordinary answer: score',
  '0, badge none. The record comes from the public events of /v1/events alone, never from what an',
  'agent says, and anyone can recompute it (`stoa reputation`). The answer is signed.',
].join(' ');

/** The tool that gives the settled-job track record of a counterparty. */
export function reputationLookupTool(deps: TrustToolDeps): Tool<SubjectInput> {
  const payload = ReputationStatement;
  return trustTool(
    {
      name: 'reputation_lookup',
      title: 'Reputation lookup',
      description: DESCRIPTION,
      ...{ price: '0.01', kind: 'reputation', payload },
      state: async (looked) => ({ ...aboutOf(looked), reputation: looked.reputation }),
    },
    deps,
  );
}
