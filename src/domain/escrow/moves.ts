/** Party that may make a move. */
export type MoveParty = 'buyer' | 'provider' | 'bidder' | 'operator' | 'anyone';

/** A move that is currently possible. */
export interface PossibleMove {
  readonly move: string;
  readonly by: MoveParty;
  readonly how: string;
}

/** Facts that determine a job's possible moves, in addition to its state. */
export interface JobMoveFacts {
  readonly jobId: string;
  readonly funding: 'escrow' | 'on_release';
  readonly isLate: boolean;
  readonly wasDisputed: boolean;
  /** Event types that the machine accepts in its current state. */
  readonly acceptedEvents: ReadonlySet<string>;
}

/** Returns the currently possible moves of a job, in a fixed order. */
export function listJobMoves(job: JobMoveFacts): readonly PossibleMove[] {
  const { jobId, funding, isLate, wasDisputed, acceptedEvents } = job;
  const path = `POST /a2a/jobs/${jobId}`;
  const isEscrow = funding === 'escrow';
  const moves: readonly (PossibleMove & { readonly event: string; readonly isOpen: boolean })[] = [
    {
      event: 'WORK.DELIVERED',
      isOpen: true,
      move: 'fulfil',
      by: 'provider',
      how: isEscrow
        ? `${path}/fulfil with the bytes and the signature of Fulfil over their SHA-256`
        : `${path}/fulfil with the bytes`,
    },
    {
      event: 'JOB.COMPLETED',
      isOpen: true,
      move: isLate ? 'release_late' : 'release',
      by: 'buyer',
      how: isEscrow
        ? `${path}/complete with the signature of Release`
        : `${path}/complete, and pay the requested price`,
    },
    {
      event: 'DISPUTE.OPENED',
      isOpen: isEscrow && !wasDisputed,
      move: 'dispute',
      by: 'buyer',
      how: `${path}/dispute with a reason and the signature of Dispute over its SHA-256`,
    },
    {
      event: 'DISPUTE.WITHDRAWN',
      isOpen: true,
      move: 'withdraw_dispute',
      by: 'buyer',
      how:
        `${path}/withdraw-dispute with the signature of WithdrawDispute; the window resumes, and ` +
        'the job cannot be disputed again',
    },
    {
      event: 'JOB.GIVEN_BACK',
      isOpen: isEscrow,
      move: 'give_back',
      by: 'provider',
      how: `${path}/give-back with the signature of GiveBack`,
    },
    {
      event: 'DISPUTE.DECIDED',
      isOpen: true,
      move: 'decide',
      by: 'operator',
      how: `${path}/decide with the operator's token`,
    },
  ];
  return moves
    .filter(({ event, isOpen }) => isOpen && acceptedEvents.has(event))
    .map(({ move, by, how }) => ({ move, by, how }));
}

/** Returns the possible moves of an open request. */
export function listRequestMoves(request: {
  readonly requestId: string;
  readonly provider: string | null;
  readonly openBids: readonly string[];
}): readonly PossibleMove[] {
  const { requestId, provider, openBids } = request;
  const path = `POST /a2a/requests/${requestId}`;
  return [
    ...(provider === null
      ? [{ move: 'bid', by: 'anyone', how: `${path}/bids with a price` } as const]
      : [{ move: 'begin', by: 'buyer', how: `${path}/begin` } as const]),
    ...openBids.flatMap((bidId) => [
      { move: 'accept', by: 'buyer', how: `POST /a2a/bids/${bidId}/accept` } as const,
      { move: 'withdraw_bid', by: 'bidder', how: `POST /a2a/bids/${bidId}/withdraw` } as const,
    ]),
    { move: 'withdraw', by: 'buyer', how: `${path}/withdraw` },
  ];
}
