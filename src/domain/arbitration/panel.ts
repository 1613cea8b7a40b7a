import type { PanelDefinition } from '../panel/definition.ts';
import { BALLOT_PHASE } from '../panel/records.ts';
import { parseJudgement } from './parse-judgement.ts';
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
  resultLines: formatArbitrationResult,
};
