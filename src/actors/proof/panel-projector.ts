import type { Panel } from '../../machines/panel/panels.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { findPayment } from '../payment/record.ts';
import { projectPanelProofs } from './panel-proofs.ts';
import { createProjector, type Projector } from './projector.ts';

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
