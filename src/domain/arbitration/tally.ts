import { BALLOT_PHASE, type Ballot, type Turn } from '../panel/records.ts';
import { computeQuorum, type Tally, type TallyRules } from '../panel/tally.ts';

/** Name of the first pass, as used in turn ids. */
export const FIRST_PASS = 'review';

/**
 * Derives ballots from both passes of each seat. A seat that changed its judgement after the sides
 * were swapped abstains. A seat without two judgements has no ballot.
 */
export function combinePasses(turns: readonly Turn[], cast: readonly Ballot[]): readonly Ballot[] {
  return cast.map((ballot): Ballot => {
    const { seatId, status, source } = ballot;
    const vote = turns.find((turn) => turn.phase === BALLOT_PHASE && turn.seatId === seatId);
    const first = turns.find((turn) => turn.phase === FIRST_PASS && turn.seatId === seatId);
    const none: Ballot = { seatId, status: 'abstain', ranking: [], confidence: 0, reason: '' };
    if (status !== 'cast' || source !== 'vote' || first?.status !== 'ok') {
      return vote?.status === 'invalid' ? { ...none, status: 'spoiled' } : none;
    }
    return first.position === ballot.ranking[0] ? ballot : { ...none, source };
  });
}

/** Returns whether the seat judged twice with different results. */
export function hasChangedVote({ status, source }: Ballot): boolean {
  return status === 'abstain' && source === 'vote';
}

/**
 * Counts the votes for a verdict.
 *
 * Seats that changed with the order of the sides count towards the quorum but for neither side.
 * `overturned` needs more than half of the seats that judged; otherwise the verdict is `upheld`.
 * Below the quorum there is no verdict.
 */
export function tallyVerdict(ballots: readonly Ballot[], { seats }: TallyRules): Tally {
  const votes = ballots.filter(({ status }) => status === 'cast');
  const judged = votes.length + ballots.filter(hasChangedVote).length;
  const count = (optionId: string) => votes.filter(({ ranking }) => ranking[0] === optionId).length;
  const [upheld, overturned] = [count('upheld'), count('overturned')];
  const facts = {
    quorum: computeQuorum(seats),
    cast: votes.length,
    firstChoices: { upheld, overturned },
    rounds: [],
    borda: null,
  };
  if (judged < facts.quorum) {
    return { ...facts, winner: null, rule: null, forced: false, tied: [], margin: 0 };
  }
  if (overturned * 2 > judged) {
    const margin = overturned - upheld;
    return { ...facts, winner: 'overturned', rule: 'majority', forced: false, tied: [], margin };
  }
  const isMajority = upheld * 2 > judged;
  return {
    ...facts,
    winner: 'upheld',
    rule: isMajority ? 'majority' : 'status_quo_default',
    forced: !isMajority,
    tied: isMajority ? [] : ['upheld', 'overturned'],
    margin: Math.max(0, upheld - overturned),
  };
}
