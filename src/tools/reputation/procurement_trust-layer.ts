import type { PublicEvent } from '../../domain/event/event-log.ts';
import { EvidenceStatement, ROWS_MAX } from '../../domain/reputation/statements.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { createTrustTool } from './trust-statement.ts';
import {
  registryOf,
  type SubjectInput,
  subjectMembers,
  type TrustServices,
} from './trust-subject.ts';

const PRICE_USD = '0.01';
const DESCRIPTION = [
  'Get signed trust evidence about a named agent from the ledger, for a procurement file. Pass',
  'subject: agent name, ERC-8004 id or wallet. Returns registration, badge, score, and the newest',
  'events about the agent with their position in the public feed and their on-chain transactions.',
  'Adds the newest signed checkpoint of the proof log. You can look up each row independently.',
  'For a full check before hiring use agent_prehire-check, for the score alone reputation_lookup.',
  `The evidence states what was recorded, not that a future trade is safe. $${PRICE_USD} per`,
  'call. You are not charged if the call returns an error.',
].join(' ');

/** Creates the tool `procurement_trust-layer`. */
export function trustLayerTool(deps: TrustServices): Tool<SubjectInput> {
  const payload = EvidenceStatement;
  return createTrustTool(
    {
      name: 'procurement_trust-layer',
      title: 'Signed trust evidence from the ledger',
      description: DESCRIPTION,
      summary:
        'Get signed ledger evidence about an agent for a procurement file, with proofs. ' +
        'For a full check use agent_prehire-check. No charge on error.',
      example: { subject: 'atlas' },
      price: PRICE_USD,
      kind: 'trust_evidence',
      payload,
      state: async (looked, { events: feed, proofs, trust }) => {
        const { wallet, reputation } = looked;
        const { badge, score, settled_jobs, lost_disputes, as_of } = reputation;
        const events = wallet === null ? [] : feed.readLatestBySubject(wallet, ROWS_MAX);
        return {
          ...subjectMembers(looked),
          badge,
          score,
          settled_jobs,
          lost_disputes,
          evidence: events.map(toRow),
          ledger: {
            events: as_of.events,
            proofs_checkpoint: proofs.latestCheckpoint() ?? null,
            agent_registry: registryOf(trust),
            escrow: trust.contracts.escrow,
          },
        };
      },
    },
    deps,
  );
}

function toRow({ seq, at, type, ref, data }: PublicEvent) {
  const { transaction } = data;
  return { seq, at, type, ref, transaction: typeof transaction === 'string' ? transaction : null };
}
