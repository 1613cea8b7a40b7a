import type { PublicEvent } from '../../domain/event/event-log.ts';
import { EvidenceStatement, ROWS_MAX } from '../../domain/reputation/statements.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { trustTool } from './trust-statement.ts';
import { aboutOf, registryOf, type SubjectInput, type TrustToolDeps } from './trust-subject.ts';

const DESCRIPTION = [
  'Gives signed trust evidence about a named agent (subject: agent name, ERC-8004 id or wallet),',
  'taken from the ledger: its registration, badge and score, and the newest events about it with',
  'their place in the public feed and their transactions on chain, beside the newest signed',
  'checkpoint of the log of proofs. Each row can be looked up by itself. Made for a procurement',
  'file: it says what was recorded, not that a future trade is safe.',
].join(' ');

/** The tool that gives evidence from the ledger about one agent. */
export function trustLayerTool(deps: TrustToolDeps): Tool<SubjectInput> {
  const payload = EvidenceStatement;
  return trustTool(
    {
      name: 'procurement_trust-layer',
      title: 'Trust evidence from the ledger',
      description: DESCRIPTION,
      ...{ price: '0.01', kind: 'trust_evidence', payload },
      state: async (looked, { trust }) => {
        const { wallet, reputation } = looked;
        const { badge, score, settled_jobs, lost_disputes, as_of } = reputation;
        const events = wallet === null ? [] : trust.events.latest(wallet, ROWS_MAX);
        return {
          ...aboutOf(looked),
          ...{ badge, score, settled_jobs, lost_disputes },
          evidence: events.map(rowOf),
          ledger: {
            events: as_of.events,
            proofs_checkpoint: trust.proofs.latestCheckpoint() ?? null,
            agent_registry: registryOf(trust.chain),
            escrow: trust.chain.contracts.escrow,
          },
        };
      },
    },
    deps,
  );
}

function rowOf({ seq, at, type, ref, data }: PublicEvent) {
  const { transaction } = data;
  return { seq, at, type, ref, transaction: typeof transaction === 'string' ? transaction : null };
}
