import type { Ballot, Counting, TallyRule } from './records.ts';

/** What a tally goes by, beside the ballots. All of it is stated before the first turn. */
export interface TallyRules {
  /** Seats of the panel, cast or not; the quorum is `floor(seats / 2) + 1` valid ballots. */
  readonly seats: number;
  readonly optionIds: readonly string[];
  /** Decides between options that the ballots leave exactly level. */
  readonly chairSeatId: string;
  /** Wins when the chair has not voted either. */
  readonly tieDefault: string;
  /** See `PanelInput.counting`. */
  readonly counting?: Counting | undefined;
}

/** One count of the runoff and who fell in it. */
export interface RunoffRound {
  readonly counts: Readonly<Record<string, number>>;
  readonly eliminated: readonly string[];
}

/** The outcome of a count. `winner` and `rule` are `null` without a quorum. */
export interface Tally {
  readonly winner: string | null;
  readonly rule: TallyRule | null;
  /** True when the ballots alone did not decide: chair's casting vote or the default. */
  readonly forced: boolean;
  readonly quorum: number;
  readonly cast: number;
  readonly firstChoices: Readonly<Record<string, number>>;
  readonly rounds: readonly RunoffRound[];
  /** Options that the runoff left level: each wins some order of dropping. Empty: it decided. */
  readonly tied: readonly string[];
  /** Borda points among the tied options, when that rung was reached. */
  readonly borda: Readonly<Record<string, number>> | null;
  /** Votes (or Borda points) between the winner and the next in the deciding count. */
  readonly margin: number;
  /** On panels with rules of their own: what the ballots chose, and why another option stands. */
  readonly adjusted?: { readonly from: string; readonly why: readonly string[] };
}

/** Valid ballots that a panel of `seats` needs for a decision. */
export function quorumOf(seats: number): number {
  return Math.floor(seats / 2) + 1;
}

/**
 * Counts ballots by the ladder: majority of first choices, instant runoff (the lowest falls, one
 * at a time), Borda points among those left level, the chair's casting vote, the stated default.
 * A pure function of ballots and rules; the order of ballots and options does not matter.
 *
 * Options left off a ballot get nothing from it. Rankings name options of `rules.optionIds` once.
 */
export function tally(ballots: readonly Ballot[], rules: TallyRules): Tally {
  const valid = ballots.filter((ballot) => isValid(ballot, rules.optionIds));
  const facts = {
    quorum: quorumOf(rules.seats),
    cast: valid.length,
    firstChoices: countFirsts(valid, rules.optionIds),
  };
  if (valid.length < facts.quorum) {
    return { ...facts, ...NOTHING, winner: null, rule: null, forced: false };
  }
  const runoff = runRunoff(valid, rules);
  if (runoff.winner !== undefined) {
    const rule = runoff.rounds.length === 0 ? 'majority' : 'instant_runoff';
    const { winner, rounds, margin } = runoff;
    return { ...facts, ...NOTHING, winner, rule, forced: false, rounds, margin };
  }
  const broken = breakTie(runoff.tied, valid, rules);
  return { ...facts, ...broken, rounds: runoff.rounds, tied: runoff.tied };
}

const NOTHING = { rounds: [], tied: [], borda: null, margin: 0 } as const;

function isValid(ballot: Ballot, optionIds: readonly string[]): boolean {
  return (
    ballot.status === 'cast' &&
    ballot.ranking.length > 0 &&
    new Set(ballot.ranking).size === ballot.ranking.length &&
    ballot.ranking.every((optionId) => optionIds.includes(optionId))
  );
}

type Counts = Readonly<Record<string, number>>;

/** Sums of shares that differ by less are level. */
const DUST = 1e-9;
/** Divides into equal shares for any number of options up to 10. */
const SHARES = 2_520;

/**
 * Counts, for each standing option, the ballots on which it comes first of those standing. A
 * ballot that holds several of them equal gives each the same share.
 */
function countFirsts(ballots: readonly Ballot[], standing: readonly string[]): Counts {
  const shares = new Map(standing.map((optionId) => [optionId, 0]));
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

/** The options that a ballot holds equal to one, itself among them. */
function findEqual({ equal = [] }: Ballot, optionId: string): readonly string[] {
  return equal.find((group) => group.includes(optionId)) ?? [optionId];
}

interface Won {
  readonly rounds: readonly RunoffRound[];
  readonly margin: number;
}
type Runoff =
  | ({ readonly winner: string } & Won)
  | { winner?: undefined; rounds: readonly RunoffRound[]; tied: readonly string[] };

/**
 * Drops the lowest option, one at a time. Where several are lowest, every order of dropping them
 * is tried: it decides only what all orders agree on, and else leaves their winners level.
 */
function runRunoff(ballots: readonly Ballot[], { optionIds, counting }: TallyRules): Runoff {
  const sorted = [...optionIds].sort();
  const known = new Map<string, ReadonlyMap<string, Won>>();
  const solve = (standing: readonly string[]): ReadonlyMap<string, Won> => {
    const key = standing.join(' ');
    const found = known.get(key) ?? solveNew(standing);
    known.set(key, found);
    return found;
  };
  const solveNew = (standing: readonly string[]): ReadonlyMap<string, Won> => {
    const counts = countFirsts(ballots, standing);
    const { leader, margin, lowest, highest, total } = survey(counts);
    if (highest * 2 > total + DUST) return new Map([[leader, { rounds: [], margin }]]);
    const falling = standing.filter((optionId) => counts[optionId] === lowest);
    if (falling.length === standing.length) {
      return new Map(standing.map((optionId) => [optionId, { rounds: [], margin: 0 }]));
    }
    const steps = counting === undefined ? [falling] : falling.map((optionId) => [optionId]);
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
  return { rounds: commonRounds([...winners.values()]), tied };
}

/** Of several ways to one winner the closest counts. */
function mergeOutcomes(
  outcomes: readonly ({ readonly winner: string } & Won)[],
): ReadonlyMap<string, Won> {
  const best = new Map<string, Won>();
  for (const { winner, rounds, margin } of outcomes) {
    const known = best.get(winner);
    if (known === undefined || margin < known.margin) best.set(winner, { rounds, margin });
  }
  return best;
}

/** The rounds that go the same way whoever wins. */
function commonRounds(ways: readonly Won[]): readonly RunoffRound[] {
  const [first, ...others] = ways.map(({ rounds }) => rounds);
  const isCommon = (round: RunoffRound, at: number) =>
    others.every((other) => other[at]?.eliminated.join() === round.eliminated.join());
  const end = first?.findIndex((round, at) => !isCommon(round, at)) ?? 0;
  return end < 0 ? (first ?? []) : (first ?? []).slice(0, end);
}

function survey(counts: Counts) {
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

type Broken = Pick<Tally, 'winner' | 'rule' | 'forced' | 'borda' | 'margin'>;

function breakTie(tied: readonly string[], ballots: readonly Ballot[], rules: TallyRules): Broken {
  const borda = countBorda(ballots, tied);
  const { leader, margin, highest } = survey(borda);
  const level = tied.filter((optionId) => borda[optionId] === highest);
  if (level.length === 1) {
    return { winner: leader, rule: 'borda_tiebreak', forced: false, borda, margin };
  }
  const chair = ballots.find((ballot) => ballot.seatId === rules.chairSeatId);
  const casting = chair?.ranking.find((optionId) => level.includes(optionId));
  const isOne = chair !== undefined && casting !== undefined && !hasRival(chair, casting, level);
  if (isOne) return { winner: casting, rule: 'chair_casting_vote', forced: true, borda, margin: 0 };
  const winner = rules.tieDefault;
  return { winner, rule: 'status_quo_default', forced: true, borda, margin: 0 };
}

/** Whether the chair holds another of the level options equal to its choice. */
function hasRival(chair: Ballot, casting: string, level: readonly string[]): boolean {
  return findEqual(chair, casting).filter((optionId) => level.includes(optionId)).length > 1;
}

/**
 * On each ballot the best of k tied options gets k-1 points, the next k-2, and so on; options that
 * it holds equal get the mean of their places.
 */
function countBorda(ballots: readonly Ballot[], tied: readonly string[]): Counts {
  const points = new Map(tied.map((optionId) => [optionId, 0]));
  for (const ballot of ballots) {
    const ranked = ballot.ranking.filter((optionId) => points.has(optionId));
    for (const optionId of ranked) {
      const equal = findEqual(ballot, optionId);
      const places = ranked.flatMap((one, place) => (equal.includes(one) ? [place] : []));
      const place = places.reduce((sum, one) => sum + one, 0) / places.length;
      points.set(optionId, (points.get(optionId) ?? 0) + tied.length - 1 - place);
    }
  }
  return Object.fromEntries(points);
}
