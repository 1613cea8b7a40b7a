import type { NewProof } from '../../domain/proof/proof-log.ts';
import { toConsensusRef } from '../../domain/proof/refs.ts';
import type { PanelContext } from '../../machines/panel/panel-context.ts';
import type { Panel } from '../../machines/panel/panels.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { findPayment } from '../payment/record.ts';
import type { Projector } from './projector.ts';
import { createProjector } from './projector.ts';

/**
 * Creates the projector of panel decisions. Decisions are private to the buyer, so no event is
 * published.
 */
export function createPanelProjector(
  engine: ActorEngine,
  { definition: { kind }, machine }: Panel,
): Projector {
  return createProjector(
    { kind, machine },
    {
      after: ['xstate.done.actor.seal'],
      project: async (view, row) => {
        const { context } = view;
        const { jobId, paymentId } = context.input;
        if (jobId !== row.id) return { proofs: [], events: [] };
        const payment = paymentId === undefined ? undefined : await findPayment(engine, paymentId);
        return { proofs: projectPanelProofs(context, payment?.record.payer), events: [] };
      },
    },
  );
}

/**
 * Returns the proof of a panel's decision once it is sealed. A panel that was cancelled or
 * undecided has no proof.
 *
 * @param payer - Wallet of the buyer, if known.
 */
export function projectPanelProofs(context: PanelContext, payer: string | undefined) {
  const { input, outcome, sealed, tally } = context;
  if (outcome !== 'decided' || sealed === null || tally === null) return [];
  const ref = toConsensusRef(input.jobId);
  const proof: NewProof = {
    kind: 30023,
    key: `${input.jobId}:decided`,
    ref,
    subject: payer ?? ref,
    payload: {
      event: 'decided',
      transcript_root: sealed.transcriptRoot,
      transcript_hash: sealed.transcriptSha,
      result_hash: sealed.resultSha,
      seats: input.seats.length,
    },
  };
  return [proof];
}
