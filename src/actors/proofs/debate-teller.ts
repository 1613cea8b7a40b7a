import type { PanelContext } from '../../machines/parts/panel-context.ts';
import type { ActorEngine } from '../../runtime/types.ts';
import { DEBATE_KIND } from '../panels/debate-view.ts';
import { findPayment } from '../payments/record.ts';
import { debateProofs } from './debate-proofs.ts';
import type { Teller } from './teller.ts';

/** Proves the decisions of debates. What was debated is its buyer's: no event is told of it. */
export function debateTeller(engine: ActorEngine): Teller {
  return {
    kind: DEBATE_KIND,
    after: ['xstate.done.actor.seal'],
    tell: async (view, row) => {
      const context = view.context as unknown as PanelContext;
      const { jobId, paymentId } = context.input;
      if (jobId !== row.id) return { proofs: [], events: [] };
      const payment = paymentId === undefined ? undefined : await findPayment(engine, paymentId);
      return { proofs: debateProofs(context, payment?.record.payer), events: [] };
    },
  };
}
