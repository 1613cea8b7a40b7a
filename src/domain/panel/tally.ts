import type { Ballot, TallyRule } from './records.ts';

/** What a tally goes by, beside the ballots. All of it is stated before the first turn. */
export interface TallyRules {
  /** Seats of the panel, cast or not; the quorum is `floor(seats / 2) + 1` valid ballots. */
  readonly seats: number;
  readonly optionIds: readonly string[];
  /** Decides between options that the ballots leave exactly level. */
  readonly chairSeatId: string;
  /** Wins when the chair has not voted either. */
  readonly tieDefault: string;
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
  /** Options that the runoff left level; empty when it decided. */
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
 * Counts ballots by the ladder: majority of first choices, instant runoff (all lowest fall at
 * once), Borda points among those left level, the chair's casting vote, the stated default.
 * A pure function of ballots and rules; the order of the ballots does not matter.
 *
 * Options left off a ballot get nothing from it. Rankings name options of `rules.optionIds` once.
 */
export function tally(ballots: readonly Ballot[], rules: TallyRules): Tally {
  const valid = ballots.filter((ballot) => isValid(ballot, rules.optionIds));
  const rankings = valid.map((ballot) => ballot.ranking);
  const facts = {
    quorum: quorumOf(rules.seats),
    cast: valid.length,
    firstChoices: countFirsts(rankings, rules.optionIds),
  };
  if (valid.length < facts.quorum) {
    return { ...facts, ...NOTHING, winner: null, rule: null, forced: false };
  }
  const runoff = runRunoff(rankings, rules.optionIds);
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

type Rankings = readonly (readonly string[])[];
type Counts = Readonly<Record<string, number>>;

/** Counts, for each standing option, the ballots on which it comes first of those standing. */
function countFirsts(rankings: Rankings, standing: readonly string[]): Counts {
  const counts = new Map(standing.map((optionId) => [optionId, 0]));
  for (const ranking of rankings) {
    const first = ranking.find((optionId) => counts.has(optionId));
    if (first !== undefined) counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

type Runoff =
  | { winner: string; rounds: readonly RunoffRound[]; margin: number }
  | { winner?: undefined; rounds: readonly RunoffRound[]; tied: readonly string[] };

function runRunoff(rankings: Rankings, optionIds: readonly string[]): Runoff {
  const rounds: RunoffRound[] = [];
  let standing = optionIds;
  for (;;) {
    const counts = countFirsts(rankings, standing);
    const { leader, margin, lowest, highest, total } = survey(counts);
    if (highest * 2 > total) return { winner: leader, rounds, margin };
    const eliminated = standing.filter((optionId) => counts[optionId] === lowest);
    if (eliminated.length === standing.length) return { rounds, tied: standing };
    rounds.push({ counts, eliminated });
    standing = standing.filter((optionId) => !eliminated.includes(optionId));
  }
}

function survey(counts: Counts) {
  const entries = Object.entries(counts).sort(([, left], [, right]) => right - left);
  const [leader, highest] = entries[0] ?? ['', 0];
  const values = entries.map(([, votes]) => votes);
  return {
    leader,
    highest,
    lowest: values.at(-1) ?? 0,
    margin: highest - (values[1] ?? 0),
    total: values.reduce((sum, votes) => sum + votes, 0),
  };
}

type Broken = Pick<Tally, 'winner' | 'rule' | 'forced' | 'borda' | 'margin'>;

function breakTie(tied: readonly string[], ballots: readonly Ballot[], rules: TallyRules): Broken {
  const borda = countBorda(
    ballots.map((ballot) => ballot.ranking),
    tied,
  );
  const { leader, margin, highest } = survey(borda);
  const level = tied.filter((optionId) => borda[optionId] === highest);
  if (level.length === 1) {
    return { winner: leader, rule: 'borda_tiebreak', forced: false, borda, margin };
  }
  const chair = ballots.find((ballot) => ballot.seatId === rules.chairSeatId);
  const casting = chair?.ranking.find((optionId) => level.includes(optionId));
  if (casting !== undefined) {
    return { winner: casting, rule: 'chair_casting_vote', forced: true, borda, margin: 0 };
  }
  const winner = rules.tieDefault;
  return { winner, rule: 'status_quo_default', forced: true, borda, margin: 0 };
}

/** On each ballot the best of k tied options gets k-1 points, the next k-2, and so on. */
function countBorda(rankings: Rankings, tied: readonly string[]): Counts {
  const points = new Map(tied.map((optionId) => [optionId, 0]));
  for (const ranking of rankings) {
    const ranked = ranking.filter((optionId) => points.has(optionId));
    ranked.forEach((optionId, place) => {
      points.set(optionId, (points.get(optionId) ?? 0) + tied.length - 1 - place);
    });
  }
  return Object.fromEntries(points);
}
