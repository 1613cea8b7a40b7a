import type { ParsedAnswer } from '../panel/answer.ts';
import type { ParseFacts } from '../panel/definition.ts';
import { parseStand } from '../panel/forms.ts';
import { BALLOT_PHASE } from '../panel/records.ts';
import type { CaseBrief } from './records.ts';

/**
 * Parses the judgement of a pass: one of the two verdicts, with at least one existing evidence id.
 * Never throws.
 */
export function parseJudgement(
  value: unknown,
  { order, brief }: ParseFacts<CaseBrief>,
): ParsedAnswer {
  const stand = parseStand(value, brief);
  if (!stand.ok) return stand;
  const { position, evidenceIds } = stand.answer;
  if (evidenceIds.length === 0) {
    const ids = brief.evidence.map(({ evidenceId }) => evidenceId).join(', ');
    return { ok: false, faults: [`evidenceIds: name at least one of ${ids}`] };
  }
  const isBallot = order.phase === BALLOT_PHASE && position !== undefined;
  return isBallot ? { ok: true, answer: { ...stand.answer, ranking: [position] } } : stand;
}
