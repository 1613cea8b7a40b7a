import type { NewPublicEvent } from '../../domain/event/event-log.ts';
import type { RequestContext } from '../../machines/escrow/request-context.ts';
import type { JournalEntry } from '../../runtime/engine/types.ts';
import { createProjector } from '../proof/projector.ts';
import { requestKind } from './kinds.ts';

const EXPIRED_EVENT = 'xstate.after.openFor.request.listed';

/** Projects public events of requests and bids. */
export const requestProjector = createProjector(requestKind, {
  after: ['xstate.init', 'BID.PLACED', 'REQUEST.WITHDRAWN', EXPIRED_EVENT, 'JOB.UNFUNDED'],
  project: async (view, row) => {
    const request = view.context;
    const isCopy = request.requestId !== row.id;
    return { proofs: [], events: isCopy ? [] : projectEvents(request, row) };
  },
});

function projectEvents(request: RequestContext, row: JournalEntry): readonly NewPublicEvent[] {
  const { requestId: ref, buyer, bids } = request;
  const posted: NewPublicEvent = {
    key: `${ref}:posted`,
    type: 'request.posted',
    ref,
    subjects: [buyer],
    happenedAt: request.postedAt,
    data: {
      buyer,
      capability_id: request.capabilityId,
      budget: request.budgetMicroUsd,
      funding: request.funding,
      open_until: openUntil(request),
    },
  };
  const placed = bids.map(
    ({ bidId, provider, priceMicroUsd, at }): NewPublicEvent => ({
      key: `${ref}:${bidId}`,
      type: 'bid.placed',
      ref,
      subjects: [provider, buyer],
      happenedAt: at,
      data: { bid_id: bidId, provider, price: priceMicroUsd },
    }),
  );
  return [posted, ...placed, ...endEvents(request, row)];
}

/** Returns the event for the end of a request, at the journal row that ended it. */
function endEvents({ requestId: ref, buyer }: RequestContext, row: JournalEntry): NewPublicEvent[] {
  const type = END_EVENTS[String(row.value)];
  if (type === undefined) return [];
  const subjects = [buyer];
  return [{ key: `${ref}:${type}`, type, ref, subjects, happenedAt: row.at, data: { buyer } }];
}

const END_EVENTS: Readonly<Record<string, string>> = {
  withdrawn: 'request.withdrawn',
  expired: 'request.expired',
};

function openUntil({ postedAt, openMs }: RequestContext): string {
  return new Date(postedAt + openMs).toISOString();
}
