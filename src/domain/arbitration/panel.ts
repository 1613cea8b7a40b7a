import type { ParsedAnswer } from '../panel/answer.ts';
import { parsePosition } from '../panel/answer-forms.ts';
import type { PanelDefinition, ParseInput } from '../panel/definition.ts';
import { BALLOT_PHASE } from '../panel/records.ts';
import { buildJudgementPrompt } from './prompt.ts';
import { CaseBrief, replaceTextsByHashes } from './records.ts';
import { buildArbitrationResult } from './report.ts';
import { ArbitrationResult } from './result.ts';
import { formatArbitrationResult } from './result-lines.ts';
import { judgeByRules } from './rule-seat.ts';
import { combinePasses, FIRST_PASS, tallyVerdict } from './tally.ts';

/**
 * The arbitration panel. Every seat judges twice with the sides swapped; the claimant carries the
 * burden of proof.
 */
export const arbitrationPanel: PanelDefinition<CaseBrief> = {
  kind: 'arbitration',
  version: 1,
  title: 'Arbitration',
  seats: { least: 3, most: 7 },
  showsRoles: false,
  phases: [
    {
      by: 'seats',
      name: FIRST_PASS,
      state: 'review',
      description: 'Every seat judges independently; the claimant comes first.',
      answer: 'stand',
      view: 'none',
    },
    {
      by: 'seats',
      name: BALLOT_PHASE,
      state: 'swapped_review',
      description: 'Every seat judges again with the sides swapped; this is its ballot.',
      answer: 'ballot',
      view: 'none',
    },
  ],
  brief: CaseBrief,
  isSecret: true,
  mayBind: true,
  publicBrief: replaceTextsByHashes,
  result: ArbitrationResult,
  prompt: buildJudgementPrompt,
  parse: parseJudgement,
  applyRule: judgeByRules,
  ballots: combinePasses,
  tally: tallyVerdict,
  report: buildArbitrationResult,
  resultText: formatArbitrationResult,
};

/**
 * Parses the judgement of a pass: one of the two verdicts, with at least one existing evidence id.
 * Never throws.
 */
function parseJudgement(value: unknown, { order, brief }: ParseInput<CaseBrief>): ParsedAnswer {
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
