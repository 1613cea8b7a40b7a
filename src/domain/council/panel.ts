import type { PanelDefinition } from '../panel/definition.ts';
import { BALLOT_PHASE, PANEL_SEATS_MAX, PANEL_SEATS_MIN } from '../panel/records.ts';
import { mergeConditions } from './conditions.ts';
import { assignRules, checkFacts } from './facts.ts';
import { parseCouncilAnswer } from './parse-answer.ts';
import { buildCouncilPrompt } from './prompt.ts';
import { CouncilBrief } from './records.ts';
import { findRedLines } from './red-lines.ts';
import { buildCouncilResult } from './report.ts';
import { CouncilResult } from './result.ts';
import { formatCouncilResult } from './result-lines.ts';
import { answerByRules } from './rule-seat.ts';
import { tallyCouncil } from './tally.ts';

/** The procurement council: roles assess a purchase; code computes, checks red lines and merges. */
export const councilPanel: PanelDefinition<CouncilBrief> = {
  kind: 'council',
  version: 1,
  title: 'Procurement council',
  seats: { least: PANEL_SEATS_MIN, most: PANEL_SEATS_MAX },
  showsRoles: true,
  phases: [
    {
      by: 'code',
      name: 'briefing',
      state: 'briefing',
      description: 'Gives every role its checklist.',
      compute: assignRules,
    },
    {
      by: 'code',
      name: 'fact_check',
      state: 'fact_check',
      description: 'Recomputes cost, payback and remaining budget, and applies the checklists.',
      compute: checkFacts,
    },
    {
      by: 'seats',
      name: 'opinion',
      state: 'opinions',
      description: 'Every role gives an opinion before it sees any other.',
      answer: 'stand',
      view: 'none',
    },
    {
      by: 'code',
      name: 'red_lines',
      state: 'red_lines',
      description: 'Decides which red lines apply; facts override claims.',
      compute: findRedLines,
    },
    {
      by: 'seats',
      name: 'question',
      state: 'cross_examination',
      description: 'Every role may ask other roles up to two questions.',
      answer: 'talk',
      view: 'all',
      inRound: true,
    },
    {
      by: 'seats',
      name: 'answer',
      state: 'cross_answers',
      description: 'Addressed roles answer from the evidence.',
      answer: 'talk',
      view: 'own',
      hears: 'question',
      onlyAddressed: true,
      inRound: true,
    },
    {
      by: 'code',
      name: 'conditions_merge',
      state: 'conditions_merge',
      description: 'Merges conditions with owners and dates, gaps, questions and answers.',
      compute: mergeConditions,
    },
    {
      by: 'seats',
      name: BALLOT_PHASE,
      state: 'voting',
      description: 'Every role casts a secret, ranked ballot.',
      answer: 'ballot',
      view: 'own',
      hears: 'answer',
    },
  ],
  rounds: {
    state: 'checking',
    description: 'Chooses between cross-examination and merging conditions.',
    skipWhen: ['mustHurry'],
  },
  brief: CouncilBrief,
  result: CouncilResult,
  prompt: buildCouncilPrompt,
  parse: parseCouncilAnswer,
  applyRule: answerByRules,
  tally: tallyCouncil,
  report: buildCouncilResult,
  resultText: formatCouncilResult,
};
