import { z } from 'zod';
import type { ParsedAnswer } from '../panel/answer.ts';
import type { ParseFacts } from '../panel/definition.ts';
import { CommonAnswer, faultOf, optionFault, optionIdOf, unknownEvidence } from '../panel/forms.ts';
import { BALLOT_PHASE } from '../panel/records.ts';
import type { CaseBrief } from './records.ts';

const EVIDENCE_IDS_MAX = 32;
const Judgement = z.object({
  position: z.string(),
  ...CommonAnswer,
  evidenceIds: z.array(z.string().max(20)).min(1).max(EVIDENCE_IDS_MAX),
});

/**
 * Checks the judgement of a pass: one of both verdicts, with at least one piece of evidence that
 * is there. Never throws.
 */
export function parseJudgement(
  value: unknown,
  { order, brief }: ParseFacts<CaseBrief>,
): ParsedAnswer {
  const parsed = Judgement.safeParse(value);
  if (!parsed.success) return { ok: false, faults: parsed.error.issues.map(faultOf) };
  const { position: named, argument, confidence, evidenceIds } = parsed.data;
  const position = optionIdOf(named, brief);
  const faults = unknownEvidence(evidenceIds, brief);
  if (position === undefined) faults.unshift(optionFault('position', named, brief));
  if (position === undefined || faults.length > 0) return { ok: false, faults };
  const ranking = order.phase === BALLOT_PHASE ? { ranking: [position] } : {};
  const answer = { position, argument, confidence, ...ranking, evidenceIds, changeReason: null };
  return { ok: true, answer };
}
