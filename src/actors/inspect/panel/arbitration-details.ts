import {
  type AdmittedItem,
  CaseBrief,
  type EvidenceRow,
} from '../../../domain/arbitration/records.ts';
import { favouredParty, readPasses } from '../../../domain/arbitration/report.ts';
import { hasChangedVote } from '../../../domain/arbitration/tally.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type {
  AdmittedDetails,
  ArbitrationDetails,
  CaseEvidence,
  FrozenDetails,
  SeatPasses,
  VerdictDetails,
} from '../../../domain/inspect/details.ts';
import type { ArbitrationContext } from '../../../machines/panel/arbitration-prelude.ts';
import type { DetailFacts } from './panel-view.ts';

/**
 * Returns the details of an arbitration: sides, evidence by hash, job facts, both passes of each
 * seat, and the verdict. It never includes the parties' texts; positions appear after the count.
 */
export function createArbitrationDetails({
  brief,
  context,
  view,
}: DetailFacts): ArbitrationDetails {
  const own = context as ArbitrationContext;
  const { case: terms } = own;
  const { file } = CaseBrief.parse(brief);
  const items = new Map(file?.items.map((item) => [item.evidence_id, item]));
  const other = terms.claimantRole === 'buyer' ? 'provider' : 'buyer';
  return {
    kind: 'arbitration',
    arbiter: 'panel of the operator of this service',
    boardJobId: terms.boardJobId,
    effect: terms.effect,
    claimant: {
      role: terms.claimantRole,
      wallet: terms.claimant,
      state: terms.sides.claimant,
    },
    respondent: { role: other, wallet: terms.respondent, state: terms.sides.respondent },
    windowEndsAt: view.createdAt + terms.windowS * SECOND_MS,
    evidence: terms.rows.map((row) =>
      evidenceView(row, { isFrozen: terms.frozen !== null, item: items.get(row.evidenceId) }),
    ),
    frozen: terms.frozen === null ? null : frozenView(terms.frozen.root, file),
    passes:
      own.tally === null ? null : own.input.seats.map(({ seatId }) => passesView(own, seatId)),
    verdict: verdictView(own),
  };
}

function evidenceView(
  { evidenceId, side, chars, at, sha }: EvidenceRow,
  { isFrozen, item }: { readonly isFrozen: boolean; readonly item: AdmittedItem | undefined },
): CaseEvidence {
  const admitted = item === undefined ? null : admittedItemView(item);
  return { evidenceId, side, chars, at, sha256: isFrozen ? sha : null, admitted };
}

function admittedItemView({
  is_admitted,
  why,
  words,
  words_kept,
  ...item
}: AdmittedItem): AdmittedDetails {
  const contradicted = [...new Set(item.contradicted.map(({ fact }) => fact))];
  return { is_admitted, why, words, words_kept, signs: [...item.signs], contradicted };
}

function frozenView(root: string, file: CaseBrief['file']): FrozenDetails {
  return {
    root,
    at: file === null ? null : Date.parse(file.frozen_at),
    wordCap: file?.word_cap ?? null,
    ledger: (file?.ledger ?? []).map(({ evidence_id: evidenceId, text }) => ({ evidenceId, text })),
    findings: (file?.findings ?? []).map(({ rule_id: ruleId, favours, text }) => ({
      ruleId,
      favours,
      text,
    })),
  };
}

function passesView(own: ArbitrationContext, seatId: string): SeatPasses {
  const { evidence_ids: evidenceIds, ...passes } = readPasses(own, seatId);
  const hasFlipped = own.ballots.some(
    (ballot) => ballot.seatId === seatId && hasChangedVote(ballot),
  );
  return { ...passes, isFlip: hasFlipped, evidenceIds };
}

function verdictView(own: ArbitrationContext): VerdictDetails | null {
  const { outcome, tally, ballots, input, sealed } = own;
  if (tally === null || outcome === null || outcome === 'cancelled') return null;
  const winner = outcome === 'decided' ? tally.winner : null;
  const verdict = winner === 'upheld' || winner === 'overturned' ? winner : 'no_verdict';
  return {
    verdict,
    inFavourOf: verdict === 'no_verdict' ? null : favouredParty(verdict, own.case),
    votes: {
      upheld: tally.firstChoices['upheld'] ?? 0,
      overturned: tally.firstChoices['overturned'] ?? 0,
      flipped: ballots.filter(hasChangedVote).length,
      seats: input.seats.length,
    },
    payloadHash: sealed?.payloadHash ?? null,
  };
}
