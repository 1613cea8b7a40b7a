import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { ArbitrationResult } from '../../domain/arbitration/result.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import { consensusRef } from '../../domain/proof/refs.ts';
import type { ArbitrationContext } from '../../machines/parts/arbitration-prelude.ts';
import { loadText } from '../panels/prompt.ts';
import type { Teller } from '../proofs/teller.ts';

/** Proves verdicts (ProofOfAdjudication), once they are signed; also that there was none. */
export function caseTeller({ blobs }: { readonly blobs: BlobStore }): Teller {
  return {
    kind: arbitrationPanel.kind,
    after: ['xstate.done.actor.seal'],
    tell: async (view, row) => {
      const { input, sealed, case: own } = view.context as unknown as ArbitrationContext;
      if (input.jobId !== row.id || sealed === null) return { proofs: [], events: [] };
      const { payload, statement } = ArbitrationResult.parse(
        JSON.parse(loadText(blobs, sealed.resultSha)),
      );
      if (payload === null || statement === null) return { proofs: [], events: [] };
      const provider = own.claimantRole === 'provider' ? own.claimant : own.respondent;
      const proof = {
        kind: 30021 as const,
        key: `${consensusRef(input.jobId)}:adjudicated`,
        ref: own.boardJobId,
        subject: provider,
        payload: { event: 'adjudicated', ...payload, statement_hash: statement.payload_hash },
      };
      return { proofs: [proof], events: [] };
    },
  };
}
