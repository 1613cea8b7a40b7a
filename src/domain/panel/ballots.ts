import { ASSIGNED_PHASE, BALLOT_PHASE, type Ballot, type Seat, type Turn } from './records.ts';

/** Reason of a ballot that was not cast as a vote. */
const CARRIED_REASON = 'The vote was cut off; the last own position of the seat counts.';

/**
 * Creates the ballots of a panel from its turns, one per seat, in seat order.
 *
 * @param o.carryPositions - Whether the last own position of a seat counts if it has not voted
 * because time or money ran out. An assigned argument never counts as a position.
 * @returns Ballots without reasons, which are in the vote turns.
 */
export function createBallots(
  turns: readonly Turn[],
  seats: readonly Seat[],
  o: { readonly carryPositions: boolean; readonly devilSeatId?: string | undefined },
): readonly Ballot[] {
  return seats.map(({ seatId }) => {
    const vote = turns.find((turn) => turn.seatId === seatId && turn.phase === BALLOT_PHASE);
    if (vote?.status === 'ok') return createCastBallot(vote);
    if (o.carryPositions) {
      const position = findLastPosition(turns, seatId, o.devilSeatId);
      if (position !== undefined) return createCarriedBallot(seatId, position);
    }
    const status = vote?.status === 'invalid' ? 'spoiled' : 'abstain';
    return { seatId, status, ranking: [], confidence: 0, reason: vote?.detail ?? '' };
  });
}

/** Returns the position of a seat in its last valid turn, ignoring assigned arguments. */
export function findLastPosition(
  turns: readonly Turn[],
  seatId: string,
  devilSeatId?: string,
): string | undefined {
  return turns.findLast(
    (turn) =>
      turn.seatId === seatId &&
      turn.position !== undefined &&
      turn.status === 'ok' &&
      !(turn.phase === ASSIGNED_PHASE && seatId === devilSeatId),
  )?.position;
}

function createCastBallot(vote: Turn): Ballot {
  const { seatId, ranking = [], equal, confidence = 0 } = vote;
  const ballot: Ballot = {
    seatId,
    status: 'cast',
    ranking,
    confidence,
    reason: '',
    source: 'vote',
  };
  return equal === undefined ? ballot : { ...ballot, equal };
}

function createCarriedBallot(seatId: string, position: string): Ballot {
  const ranking = [position];
  return {
    seatId,
    status: 'cast',
    ranking,
    confidence: 0,
    reason: CARRIED_REASON,
    source: 'position',
  };
}
