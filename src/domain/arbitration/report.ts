import type { ReportInput } from '../panel/definition.ts';
import { listLimits } from '../panel/limits.ts';
import { BALLOT_PHASE, type Turn } from '../panel/records.ts';
import {
  buildAccountPart,
  buildDecisionPart,
  buildSeatReports,
  findWinner,
  listDissent,
  listFlips,
} from '../panel/report.ts';
import { seatLetter } from '../panel/seating.ts';
import { type CaseTerms, decodeTerms } from './case-terms.ts';
import { type CaseBrief, type CaseFile, hasResponded, type VerdictId } from './records.ts';
import type { ArbitrationResult, VerdictPayload } from './result.ts';
import { FIRST_PASS, hasChangedVote } from './tally.ts';

const RULE_SEAT_LIMITS = [
  'No language model was used: each seat is a fixed procedure over the facts of the ledger and ' +
    'the structured claims of both sides, and cites the ids of its rules. Texts were ignored.',
];
const ARBITRATION_LIMITS = [
  'The operator of this service runs the arbiter panel, so you still have to trust the ' +
    'operator.',
  'The claimant carries the burden of proof: ties and abstentions uphold the settlement.',
];

/** Builds the result of an arbitration. A pure function of its facts. */
export function buildArbitrationResult(facts: ReportInput<CaseBrief>): ArbitrationResult {
  const { input, turns, ballots, brief } = facts;
  const winner = findWinner(facts);
  const flipped = ballots.filter(hasChangedVote).map(({ seatId }) => seatLetter(seatId));
  return {
    ...buildDecisionPart(facts),
    passes: input.seats.map(({ seatId }) => readPasses(facts, seatId)),
    flipped,
    dissent: winner === null ? [] : listDissent(facts, winner),
    flips: listFlips(turns, undefined),
    seats: buildSeatReports(input).map((seat, index) => ({
      ...seat,
      role: input.seats[index]?.role ?? '',
    })),
    ...buildAccountPart(facts),
    limits: [
      ...ARBITRATION_LIMITS,
      // The limits above already explain ties: an arbitration has no runoff.
      ...listLimits(facts, RULE_SEAT_LIMITS).filter(
        (limit) => !limit.startsWith('Options left level'),
      ),
    ],
    file: brief.file,
    payload: buildVerdict(facts, winner, flipped.length),
    statement: null,
  };
}

/** Returns the party that a verdict favours. */
export function favouredParty(
  verdict: VerdictId,
  { claimantRole }: Pick<CaseTerms, 'claimantRole'>,
) {
  const isForBuyer = (verdict === 'overturned') === (claimantRole === 'buyer');
  return isForBuyer ? ('buyer' as const) : ('provider' as const);
}

function buildVerdict(
  { input, tally, brief, outcome, transcriptRoot }: ReportInput<CaseBrief>,
  winner: string | null,
  flips: number,
): VerdictPayload | null {
  const isOver = outcome === 'decided' || outcome === 'no_quorum';
  if (!isOver || transcriptRoot === null) return null;
  const terms = decodeTerms(input.policy ?? {});
  const verdict = winner === 'upheld' || winner === 'overturned' ? winner : 'no_verdict';
  const sides = brief.file?.sides;
  return {
    arbiter: 'panel of the operator of this service',
    board_job_id: terms.boardJobId,
    verdict,
    in_favour_of: verdict === 'no_verdict' ? null : favouredParty(verdict, terms),
    effect: brief.file?.effect ?? terms.effect,
    ...(sides === undefined ? {} : { heard: respondedSides(sides) }),
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

function respondedSides({ claimant, respondent }: CaseFile['sides']) {
  return { claimant: hasResponded(claimant), respondent: hasResponded(respondent) };
}

/** Returns a seat's judgement in each pass and its cited evidence; `null` if it did not judge. */
export function readPasses({ turns }: { readonly turns: readonly Turn[] }, seatId: string) {
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
