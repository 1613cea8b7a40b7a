import type { Ballot, Counting, TallyRule } from './records.ts';

/** Rules of a tally. All are fixed before the first turn. */
export interface TallyRules {
  /** Number of seats, voting or not. The quorum is `floor(seats / 2) + 1` valid ballots. */
  readonly seats: number;
  readonly optionIds: readonly string[];
  /** Seat with the casting vote on ties. */
  readonly chairSeatId: string;
  /** Wins if the chair did not vote either. */
  readonly tieDefault: string;
  /** See `PanelInput.counting`. */
  readonly counting?: Counting | undefined;
}

/** One round of the runoff and the eliminated options. */
export interface RunoffRound {
  readonly counts: Readonly<Record<string, number>>;
  readonly eliminated: readonly string[];
}

/** The result of a count. `winner` and `rule` are `null` without a quorum. */
export interface Tally {
  readonly winner: string | null;
  readonly rule: TallyRule | null;
  /** Whether the ballots alone did not decide: the casting vote or the default applied. */
  readonly forced: boolean;
  readonly quorum: number;
  readonly cast: number;
  readonly firstChoices: Readonly<Record<string, number>>;
  readonly rounds: readonly RunoffRound[];
  /**
   * Options left tied by the runoff: each wins under some elimination order. Empty if it decided.
   */
  readonly tied: readonly string[];
  /** Borda points of the tied options, if that rule applied. */
  readonly borda: Readonly<Record<string, number>> | null;
  /** Lead of the winner in votes (or Borda points) in the deciding count. */
  readonly margin: number;
  /** On panels with additional rules: the result of the ballots, and why it was changed. */
  readonly adjusted?: { readonly from: string; readonly why: readonly string[] };
}

/** Returns the number of valid ballots that a panel needs for a decision. */
export function computeQuorum(seats: number): number {
  return Math.floor(seats / 2) + 1;
}

/**
 * Counts ballots by these rules in order: majority of first choices, instant runoff (eliminating
 * the lowest, one at a time), Borda points of tied options, casting vote of the chair, default. It
 * is a pure function of ballots and rules; the order of ballots and options is irrelevant.
 *
 * Options missing on a ballot get nothing from it. Rankings contain options of `rules.optionIds` at
 * most once.
 */
export function countBallots(ballots: readonly Ballot[], rules: TallyRules): Tally {
  const valid = ballots.filter((ballot) => isValid(ballot, rules.optionIds));
  const facts = {
    quorum: computeQuorum(rules.seats),
    cast: valid.length,
    firstChoices: countFirsts(valid, rules.optionIds),
  };
  if (valid.length < facts.quorum) {
    return { ...facts, ...EMPTY_COUNT, winner: null, rule: null, forced: false };
  }
  const runoff = runRunoff(valid, rules);
  if (runoff.winner !== undefined) {
    const rule = runoff.rounds.length === 0 ? 'majority' : 'instant_runoff';
    const { winner, rounds, margin } = runoff;
    return { ...facts, ...EMPTY_COUNT, winner, rule, forced: false, rounds, margin };
  }
  const broken = breakTie(runoff.tied, valid, rules);
  return { ...facts, ...broken, rounds: runoff.rounds, tied: runoff.tied };
}

const EMPTY_COUNT = { rounds: [], tied: [], borda: null, margin: 0 } as const;

function isValid(ballot: Ballot, optionIds: readonly string[]): boolean {
  return (
    ballot.status === 'cast' &&
    ballot.ranking.length > 0 &&
    new Set(ballot.ranking).size === ballot.ranking.length &&
    ballot.ranking.every((optionId) => optionIds.includes(optionId))
  );
}

type Counts = Readonly<Record<string, number>>;

/** Sums that differ by less are equal. */
const ROUNDING_TOLERANCE = 1e-9;
/** Divisible into equal shares for any number of options up to 10. */
const SHARES = 2_520;

/**
 * Counts first choices among the remaining options. A ballot that ranks several of them equally
 * gives each the same share.
 */
function countFirsts(ballots: readonly Ballot[], remaining: readonly string[]): Counts {
  const shares = new Map(remaining.map((optionId) => [optionId, 0]));
  for (const ballot of ballots) {
    const first = ballot.ranking.find((optionId) => shares.has(optionId));
    if (first === undefined) continue;
    const equal = findEqual(ballot, first).filter((optionId) => shares.has(optionId));
    for (const optionId of equal) {
      shares.set(optionId, (shares.get(optionId) ?? 0) + SHARES / equal.length);
    }
  }
  return Object.fromEntries([...shares].map(([optionId, sum]) => [optionId, sum / SHARES]));
}

/** Returns the options that a ballot ranks equal to the given one, including itself. */
function findEqual({ equal = [] }: Ballot, optionId: string): readonly string[] {
  return equal.find((group) => group.includes(optionId)) ?? [optionId];
}

interface WinningPath {
  readonly rounds: readonly RunoffRound[];
  readonly margin: number;
}
type RunoffResult =
  | ({ readonly winner: string } & WinningPath)
  | { winner?: undefined; rounds: readonly RunoffRound[]; tied: readonly string[] };

/**
 * Eliminates the lowest option, one at a time. If several are lowest, every elimination order is
 * tried. The runoff decides only if all orders agree; otherwise their winners are tied.
 */
function runRunoff(ballots: readonly Ballot[], { optionIds, counting }: TallyRules): RunoffResult {
  const sorted = [...optionIds].sort();
  const cache = new Map<string, ReadonlyMap<string, WinningPath>>();
  const solve = (standing: readonly string[]): ReadonlyMap<string, WinningPath> => {
    const key = standing.join(' ');
    const found = cache.get(key) ?? solveUncached(standing);
    cache.set(key, found);
    return found;
  };
  const solveUncached = (standing: readonly string[]): ReadonlyMap<string, WinningPath> => {
    const counts = countFirsts(ballots, standing);
    const { leader, margin, lowest, highest, total } = summarizeCounts(counts);
    if (highest * 2 > total + ROUNDING_TOLERANCE)
      return new Map([[leader, { rounds: [], margin }]]);
    const lowestOptions = standing.filter((optionId) => counts[optionId] === lowest);
    if (lowestOptions.length === standing.length) {
      return new Map(standing.map((optionId) => [optionId, { rounds: [], margin: 0 }]));
    }
    const steps =
      counting === undefined ? [lowestOptions] : lowestOptions.map((optionId) => [optionId]);
    const outcomes = steps.map((eliminated) => {
      const rest = solve(standing.filter((optionId) => !eliminated.includes(optionId)));
      return [...rest].map(([winner, { rounds, margin: size }]) => {
        return { winner, rounds: [{ counts, eliminated }, ...rounds], margin: size };
      });
    });
    return mergeOutcomes(outcomes.flat());
  };
  const winners = solve(sorted);
  const [only, other] = [...winners];
  if (only !== undefined && other === undefined) return { winner: only[0], ...only[1] };
  const tied = optionIds.filter((optionId) => winners.has(optionId));
  return { rounds: listCommonRounds([...winners.values()]), tied };
}

/** Of several paths to one winner, the smallest margin counts. */
function mergeOutcomes(
  outcomes: readonly ({ readonly winner: string } & WinningPath)[],
): ReadonlyMap<string, WinningPath> {
  const best = new Map<string, WinningPath>();
  for (const { winner, rounds, margin } of outcomes) {
    const existing = best.get(winner);
    if (existing === undefined || margin < existing.margin) best.set(winner, { rounds, margin });
  }
  return best;
}

/** Returns the leading rounds that are the same for all winners. */
function listCommonRounds(ways: readonly WinningPath[]): readonly RunoffRound[] {
  const [first, ...others] = ways.map(({ rounds }) => rounds);
  const isCommon = (round: RunoffRound, at: number) =>
    others.every((other) => other[at]?.eliminated.join() === round.eliminated.join());
  const end = first?.findIndex((round, at) => !isCommon(round, at)) ?? 0;
  return end < 0 ? (first ?? []) : (first ?? []).slice(0, end);
}

function summarizeCounts(counts: Counts) {
  const entries = Object.entries(counts).sort(([, left], [, right]) => right - left);
  const [leader, highest] = entries[0] ?? ['', 0];
  const values = entries.map(([, votes]) => votes);
  return {
    leader,
    highest,
    lowest: values.at(-1) ?? 0,
    margin: Math.round((highest - (values[1] ?? 0)) * SHARES) / SHARES,
    total: values.reduce((sum, votes) => sum + votes, 0),
  };
}

type TieBreak = Pick<Tally, 'winner' | 'rule' | 'forced' | 'borda' | 'margin'>;

function breakTie(
  tied: readonly string[],
  ballots: readonly Ballot[],
  rules: TallyRules,
): TieBreak {
  const borda = countBorda(ballots, tied);
  const { leader, margin, highest } = summarizeCounts(borda);
  const tiedLeaders = tied.filter((optionId) => borda[optionId] === highest);
  if (tiedLeaders.length === 1) {
    return { winner: leader, rule: 'borda_tiebreak', forced: false, borda, margin };
  }
  const chair = ballots.find((ballot) => ballot.seatId === rules.chairSeatId);
  const casting = chair?.ranking.find((optionId) => tiedLeaders.includes(optionId));
  const isDecisive =
    chair !== undefined && casting !== undefined && !hasEqualRival(chair, casting, tiedLeaders);
  if (isDecisive)
    return { winner: casting, rule: 'chair_casting_vote', forced: true, borda, margin: 0 };
  const winner = rules.tieDefault;
  return { winner, rule: 'status_quo_default', forced: true, borda, margin: 0 };
}

/** Checks whether the chair ranks another tied option equal to its choice. */
function hasEqualRival(chair: Ballot, casting: string, level: readonly string[]): boolean {
  return findEqual(chair, casting).filter((optionId) => level.includes(optionId)).length > 1;
}

/**
 * Counts Borda points. On each ballot the best of k tied options gets k-1 points, the next k-2, and
 * so on. Options ranked equally get the mean of their places.
 */
function countBorda(ballots: readonly Ballot[], tied: readonly string[]): Counts {
  const points = new Map(tied.map((optionId) => [optionId, 0]));
  for (const ballot of ballots) {
    const ranked = ballot.ranking.filter((optionId) => points.has(optionId));
    for (const optionId of ranked) {
      const equal = findEqual(ballot, optionId);
      const places = ranked.flatMap((one, rank) => (equal.includes(one) ? [rank] : []));
      const place = places.reduce((sum, one) => sum + one, 0) / places.length;
      points.set(optionId, (points.get(optionId) ?? 0) + tied.length - 1 - place);
    }
  }
  return Object.fromEntries(points);
}
