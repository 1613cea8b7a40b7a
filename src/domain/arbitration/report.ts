import type { ReportFacts } from '../panel/definition.ts';
import { limitsOf } from '../panel/limits.ts';
import { BALLOT_PHASE, type Turn } from '../panel/records.ts';
import {
  accountPart,
  decisionPart,
  dissentOf,
  flipsOf,
  seatReports,
  winnerOf,
} from '../panel/report.ts';
import { seatLetter } from '../panel/seating.ts';
import { type CaseTerms, readTerms } from './policy.ts';
import { type CaseBrief, type CaseFile, isHeard, type VerdictId } from './records.ts';
import type { ArbitrationResult, VerdictPayload } from './result.ts';
import { FIRST_PASS, isFlip } from './tally.ts';

const OF_RULES = [
  'No language model was used: each seat is a fixed procedure over the facts of the ledger and ' +
    'the structured claims of both sides, and cites the ids of its rules. Texts were ignored.',
];
const OWN_LIMITS = [
  'The operator of this service runs the arbiter panel, so you still have to trust the ' +
    'operator.',
  'The claimant carries the burden of proof: ties and abstentions uphold the settlement.',
];

/** Builds the result of an arbitration. A pure function of its facts. */
export function arbitrationResult(facts: ReportFacts<CaseBrief>): ArbitrationResult {
  const { input, turns, ballots, brief } = facts;
  const winner = winnerOf(facts);
  const flipped = ballots.filter(isFlip).map(({ seatId }) => seatLetter(seatId));
  return {
    ...decisionPart(facts),
    passes: input.seats.map(({ seatId }) => passesOf(facts, seatId)),
    flipped,
    dissent: winner === null ? [] : dissentOf(facts, winner),
    flips: flipsOf(turns, undefined),
    seats: seatReports(input).map((seat, place) => ({
      ...seat,
      role: input.seats[place]?.role ?? '',
    })),
    ...accountPart(facts),
    limits: [
      ...OWN_LIMITS,
      // The limits above already explain ties: an arbitration has no runoff.
      ...limitsOf(facts, OF_RULES).filter((limit) => !limit.startsWith('Options left level')),
    ],
    file: brief.file,
    payload: verdictOf(facts, winner, flipped.length),
    statement: null,
  };
}

/** Returns the party that a verdict favours. */
export function favoured(verdict: VerdictId, { claimantRole }: Pick<CaseTerms, 'claimantRole'>) {
  const isForBuyer = (verdict === 'overturned') === (claimantRole === 'buyer');
  return isForBuyer ? ('buyer' as const) : ('provider' as const);
}

function verdictOf(
  { input, tally, brief, outcome, transcriptRoot }: ReportFacts<CaseBrief>,
  winner: string | null,
  flips: number,
): VerdictPayload | null {
  const isOver = outcome === 'decided' || outcome === 'no_quorum';
  if (!isOver || transcriptRoot === null) return null;
  const terms = readTerms(input.policy ?? {});
  const verdict = winner === 'upheld' || winner === 'overturned' ? winner : 'no_verdict';
  const sides = brief.file?.sides;
  return {
    arbiter: 'panel of the operator of this service',
    board_job_id: terms.boardJobId,
    verdict,
    in_favour_of: verdict === 'no_verdict' ? null : favoured(verdict, terms),
    effect: brief.file?.effect ?? terms.effect,
    ...(sides === undefined ? {} : { heard: heardSides(sides) }),
    evidence_root: brief.file?.evidence_root ?? null,
    transcript_root: transcriptRoot,
    votes: {
      upheld: tally?.firstChoices['upheld'] ?? 0,
      overturned: tally?.firstChoices['overturned'] ?? 0,
      flipped: flips,
      seats: input.seats.length,
    },
  };
}

function heardSides({ claimant, respondent }: CaseFile['sides']) {
  return { claimant: isHeard(claimant), respondent: isHeard(respondent) };
}

/** Returns a seat's judgement in each pass and its cited evidence; `null` if it did not judge. */
export function passesOf({ turns }: { readonly turns: readonly Turn[] }, seatId: string) {
  const pass = (phase: string) =>
    turns.find((turn) => turn.phase === phase && turn.seatId === seatId && turn.status === 'ok');
  const [first, swapped] = [pass(FIRST_PASS), pass(BALLOT_PHASE)];
  const cited = [...(first?.evidenceIds ?? []), ...(swapped?.evidenceIds ?? [])];
  return {
    seat: seatLetter(seatId),
    first: first?.position ?? null,
    swapped: swapped?.position ?? null,
    evidence_ids: [...new Set(cited)],
  };
}
