import { invariant } from '../common/error.ts';
import { quoteText, toReadableLine } from '../common/readable.ts';
import type { ParsedAnswer, SeatAnswer } from '../panel/answer.ts';
import { parseBallot, parsePosition } from '../panel/answer-forms.ts';
import type {
  PanelDefinition,
  PanelResult,
  PanelResultText,
  ReportInput,
} from '../panel/definition.ts';
import { listLimits } from '../panel/limits.ts';
import { formatHeadline, formatReason } from '../panel/lines.ts';
import type { TurnOrder } from '../panel/order.ts';
import {
  BALLOT_PHASE,
  PANEL_SEATS_MAX,
  PANEL_SEATS_MIN,
  type TurnPhase,
} from '../panel/records.ts';
import {
  buildAccountPart,
  buildDecisionPart,
  buildSeatReports,
  findWinner,
  listDissent,
  listFlips,
} from '../panel/report.ts';
import { countBallots } from '../panel/tally.ts';
import { buildMatrix } from './procedures/matrix.ts';
import { findProcedure } from './procedures/procedures.ts';
import { buildTurnPrompt } from './prompt.ts';
import { DebateBrief } from './records.ts';
import { DebateResult } from './result.ts';

const RULE_SEAT_LIMITS = [
  'No language model was used: each seat is a named decision procedure over the given ' +
    'scores. Agreement shows that the choice does not depend on the method; it adds no ' +
    'knowledge, and wrong scores lead to wrong results.',
  'Procedures do not change their mind, so there is no rebuttal round.',
];

/** The debate: opening statements, a few rebuttal rounds with anonymous peers, a secret ballot. */
export const debatePanel: PanelDefinition<DebateBrief> = {
  kind: 'debate',
  version: 1,
  title: 'Debate',
  seats: { least: PANEL_SEATS_MIN, most: PANEL_SEATS_MAX },
  showsRoles: false,
  phases: [
    {
      by: 'seats',
      name: 'opening',
      state: 'opening',
      description: 'Every seat takes a position before it sees any other.',
      answer: 'stand',
      view: 'none',
    },
    {
      by: 'seats',
      name: 'rebuttal',
      state: 'rebuttal',
      description: 'Every seat responds to two anonymous peers.',
      answer: 'stand',
      view: 'ring',
      inRound: true,
    },
    {
      by: 'seats',
      name: BALLOT_PHASE,
      state: 'voting',
      description: 'Every seat casts a secret, ranked ballot.',
      answer: 'ballot',
      view: 'ring',
    },
  ],
  rounds: {
    state: 'checking',
    description: 'Chooses between another rebuttal round and the vote.',
    skipWhen: ['isUnanimous', 'isStable', 'mustHurry'],
  },
  brief: DebateBrief,
  result: DebateResult,
  prompt: (order, { brief, textOf }) => buildTurnPrompt(order, brief, textOf),
  parse: (value, { order, brief }) => parseAnswer(value, { ...brief, phase: order.phase }),
  applyRule: (order, { brief }) => answerByProcedure(order, brief),
  tally: (ballots, rules) => countBallots(ballots, rules),
  report: buildDebateResult,
  resultText: formatDebateResult,
};

/** Maximum characters of the list of equal options in a reason. */
const EQUAL_CHARS_MAX = 250;

/**
 * Answers with a named decision procedure. The answer depends on the scores alone, so it is the
 * same in every phase. Its confidence is the lead of the first option over the second.
 */
function answerByProcedure(order: TurnOrder, brief: DebateBrief): SeatAnswer {
  const procedure = findProcedure(order.seat.model);
  invariant(procedure !== undefined, 'a rule seat names a procedure that exists');
  const { ranking, equal, reason, lead } = procedure.decide(buildMatrix(brief));
  const [position] = ranking;
  invariant(position !== undefined, 'a procedure ranks at least one option');
  return {
    position,
    argument: equal.length === 0 ? reason : `${reason} ${formatEqual(equal, brief)}`,
    confidence: lead,
    evidenceIds: [],
    changeReason: null,
    ...(order.phase === BALLOT_PHASE ? { ranking } : {}),
    ...(order.phase === BALLOT_PHASE && equal.length > 0 ? { equal } : {}),
  };
}

function formatEqual(equal: readonly (readonly string[])[], { options }: DebateBrief): string {
  const groups = equal.map((group) =>
    group.map((id) => options.find(({ optionId }) => optionId === id)?.name ?? id).join(', '),
  );
  return `Held equal: ${groups.join('; ')}.`.slice(0, EQUAL_CHARS_MAX);
}

/** Context that an answer is validated against. */
export interface AnswerContext {
  readonly phase: TurnPhase;
  readonly options: DebateBrief['options'];
  readonly evidence: DebateBrief['evidence'];
}

/** Validates an answer that is already parsed. Never throws. */
export function parseAnswer(value: unknown, rules: AnswerContext): ParsedAnswer {
  return rules.phase === BALLOT_PHASE ? parseBallot(value, rules) : parsePosition(value, rules);
}

/** Builds the result of a debate. A pure function of its facts. */
function buildDebateResult(facts: ReportInput<DebateBrief>): DebateResult {
  const { input, turns } = facts;
  const winner = findWinner(facts);
  return {
    ...buildDecisionPart(facts),
    dissent: winner === null ? [] : listDissent(facts, winner),
    flips: listFlips(turns, input.devilSeatId),
    seats: buildSeatReports(input),
    ...buildAccountPart(facts),
    limits: listLimits(facts, RULE_SEAT_LIMITS),
  };
}

/** Formats a debate result as text: decision, votes, dissent and changed positions. */
function formatDebateResult(result: PanelResult): PanelResultText {
  const { dissent, flips, winner } = result;
  return {
    answer: formatHeadline(result, winner?.name ?? ''),
    why: formatReason(result),
    details: [
      ...dissent.map(
        ({ seat, position, reason }) =>
          `Dissent: seat ${seat} for ${toReadableLine(position.name)}: ${quoteText(reason)}`,
      ),
      ...(flips.length > 0 ? [`Changed positions: ${flips.map(formatFlip).join(', ')}`] : []),
    ],
  };
}

function formatFlip({ seat, from, to, supported }: PanelResult['flips'][number]): string {
  return `seat ${seat} ${from} to ${to}${supported === false ? ' (unsupported)' : ''}`;
}
