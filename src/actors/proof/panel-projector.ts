import type { PanelDefinition } from '../../domain/panel/definition.ts';
import type { PanelContext } from '../../machines/panel/panel-context.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { findPayment } from '../payment/record.ts';
import { projectPanelProofs } from './panel-proofs.ts';
import type { Projector } from './projector.ts';

/**
 * Creates the projector of panel decisions. Decisions are private to the buyer, so no event is
 * published.
 */
export function createPanelProjector(engine: ActorEngine, { kind }: PanelDefinition): Projector {
  return {
    kind,
    after: ['xstate.done.actor.seal'],
    project: async (view, row) => {
      const context = view.context as unknown as PanelContext;
      const { jobId, paymentId } = context.input;
      if (jobId !== row.id) return { proofs: [], events: [] };
      const payment = paymentId === undefined ? undefined : await findPayment(engine, paymentId);
      return { proofs: projectPanelProofs(context, payment?.record.payer), events: [] };
    },
  };
}
