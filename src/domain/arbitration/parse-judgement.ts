import type { ParsedAnswer } from '../panel/answer.ts';
import { parsePosition } from '../panel/answer-forms.ts';
import type { ParseInput } from '../panel/definition.ts';
import { BALLOT_PHASE } from '../panel/records.ts';
import type { CaseBrief } from './records.ts';

/**
 * Parses the judgement of a pass: one of the two verdicts, with at least one existing evidence id.
 * Never throws.
 */
export function parseJudgement(
  value: unknown,
  { order, brief }: ParseInput<CaseBrief>,
): ParsedAnswer {
  const parsed = parsePosition(value, brief);
  if (!parsed.ok) return parsed;
  const { position, evidenceIds } = parsed.answer;
  if (evidenceIds.length === 0) {
    const ids = brief.evidence.map(({ evidenceId }) => evidenceId).join(', ');
    return { ok: false, faults: [`evidenceIds: name at least one of ${ids}`] };
  }
  const isBallot = order.phase === BALLOT_PHASE && position !== undefined;
  return isBallot ? { ok: true, answer: { ...parsed.answer, ranking: [position] } } : parsed;
}
