import { ASSIGNED_PHASE, BALLOT_PHASE, type Ballot, type Seat, type Turn } from './records.ts';

/** Why a ballot is not a vote that was cast as such. */
const CARRIED = 'The vote was cut off; the last own position of the seat counts.';

/**
 * Makes the ballots of a panel from its turns, one per seat, in seat order.
 *
 * @param carryPositions - True when time or money ran out: a seat that has not voted then counts
 *   with its last own position. An argument that a seat was assigned never counts as its position.
 * @returns Ballots without their reasons, which stand in the vote turns.
 */
export function ballotsOf(
  turns: readonly Turn[],
  seats: readonly Seat[],
  o: { readonly carryPositions: boolean; readonly devilSeatId?: string | undefined },
): readonly Ballot[] {
  return seats.map(({ seatId }) => {
    const vote = turns.find((turn) => turn.seatId === seatId && turn.phase === BALLOT_PHASE);
    if (vote?.status === 'ok') return castBallot(vote);
    if (o.carryPositions) {
      const position = lastPosition(turns, seatId, o.devilSeatId);
      if (position !== undefined) return carriedBallot(seatId, position);
    }
    const status = vote?.status === 'invalid' ? 'spoiled' : 'abstain';
    return { seatId, status, ranking: [], confidence: 0, reason: vote?.detail ?? '' };
  });
}

/** The position that a seat holds: that of its last good turn, assigned arguments left out. */
export function lastPosition(
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

function castBallot(vote: Turn): Ballot {
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

function carriedBallot(seatId: string, position: string): Ballot {
  const ranking = [position];
  return { seatId, status: 'cast', ranking, confidence: 0, reason: CARRIED, source: 'position' };
}
