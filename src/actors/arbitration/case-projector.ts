import { decodeTerms } from '../../domain/arbitration/case-terms.ts';
import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { ArbitrationResult } from '../../domain/arbitration/result.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { NewPublicEvent } from '../../domain/event/event-log.ts';
import type { PanelInput } from '../../domain/panel/records.ts';
import { toConsensusRef } from '../../domain/proof/refs.ts';
import { type CaseContext, readArbitration } from '../../machines/panel/arbitration-prelude.ts';
import { findPanelMachine } from '../../machines/panel/panels.ts';
import { loadText } from '../panel/turn-prompt.ts';
import { createProjector, type Projector } from '../proof/projector.ts';

/**
 * Creates the projector of arbitrations. It notifies both parties of a filed case and proves signed
 * verdicts (ProofOfAdjudication).
 */
export function createCaseProjector({ blobs }: { readonly blobs: BlobStore }): Projector {
  const { kind } = arbitrationPanel;
  return createProjector(
    { kind, machine: findPanelMachine(kind) },
    {
      after: ['xstate.init', 'xstate.done.actor.seal'],
      project: async (view, row) => {
        const { input, sealed, case: own } = readArbitration(view.context);
        if (input.jobId !== row.id) return { proofs: [], events: [] };
        const events = [createFiledEvent(view.createdAt, own, input)];
        if (sealed === null) return { proofs: [], events };
        const { payload, statement } = ArbitrationResult.parse(
          JSON.parse(loadText(blobs, sealed.resultSha)),
        );
        if (payload === null || statement === null) return { proofs: [], events };
        const { provider } = partyWallets(own);
        const proof = {
          kind: 30021 as const,
          key: `${toConsensusRef(input.jobId)}:adjudicated`,
          ref: own.boardJobId,
          subject: provider,
          payload: { event: 'adjudicated', ...payload, statement_hash: statement.payload_hash },
        };
        return { proofs: [proof], events };
      },
    },
  );
}

/** Omits the case id, because it is a capability that allows cancelling. */
function createFiledEvent(createdAt: number, own: CaseContext, input: PanelInput): NewPublicEvent {
  const { buyer, provider } = partyWallets(own);
  return {
    key: `${toConsensusRef(input.jobId)}:filed`,
    type: 'arbitration.filed' as const,
    ref: own.boardJobId,
    subjects: [buyer, provider],
    happenedAt: createdAt,
    data: {
      buyer,
      provider,
      claimant_role: own.claimantRole,
      // The effect as filed: the dispute may be settled when the row is projected again.
      effect: decodeTerms(input.policy ?? {}).effect,
      seats: input.seats.length,
      mode: input.mode,
      window_ends_at: new Date(createdAt + own.windowS * SECOND_MS).toISOString(),
      evidence_path: `/a2a/jobs/${own.boardJobId}/evidence`,
    },
  };
}

function partyWallets({ claimantRole, claimant, respondent }: CaseContext) {
  return claimantRole === 'buyer'
    ? { buyer: claimant, provider: respondent }
    : { buyer: respondent, provider: claimant };
}
