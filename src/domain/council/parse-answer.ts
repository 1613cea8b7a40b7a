import type { z } from 'zod';
import type { JsonObject } from '../common/json.ts';
import { normalizeNames } from '../llm/coerce.ts';
import type { ParsedAnswer } from '../panel/answer.ts';
import {
  CommonAnswer,
  filterKnownEvidence,
  formatIssue,
  parseBallot,
  parsePosition,
} from '../panel/answer-forms.ts';
import type { ParseInput } from '../panel/definition.ts';
import type { TurnOrder } from '../panel/order.ts';
import {
  AnswerContent,
  CONTENT_NAMES,
  OpinionContent,
  parseAsker,
  QuestionContent,
} from './content.ts';
import type { CouncilBrief } from './records.ts';
import { findRule } from './rules/rules.ts';

/** Parses an answer according to its phase. Never throws. */
export function parseCouncilAnswer(
  given: unknown,
  { order, brief }: ParseInput<CouncilBrief>,
): ParsedAnswer {
  const value = normalizeNames(given, CONTENT_NAMES);
  switch (order.phase) {
    case 'opinion':
      return parseOpinion(value, order, brief);
    case 'question':
      return parseQuestions(value, order);
    case 'answer':
      return parseAnswers(value, order, brief);
    default:
      return parseBallot(value, brief);
  }
}

function parseOpinion(value: unknown, { seat }: TurnOrder, brief: CouncilBrief): ParsedAnswer {
  const parsedStand = parsePosition(value, brief);
  if (!parsedStand.ok) return parsedStand;
  const parsed = OpinionContent.safeParse(value);
  if (!parsed.success) return rejectInvalid(parsed.error);
  const { red_lines: claimedLines, conditions, gaps } = parsed.data;
  const red_lines = claimedLines.map(({ rule_id, evidenceIds }) => ({
    rule_id,
    evidenceIds: filterKnownEvidence(evidenceIds, brief),
  }));
  const faults = claimedLines.flatMap(({ rule_id, evidenceIds }, at) => {
    const rule = findRule(rule_id);
    const isOwnRedLine = rule?.isRedLine === true && rule.role === seat.role;
    // A red line is decisive, so its cited evidence must exist.
    const hasValidEvidence = evidenceIds.length === 0 || red_lines[at]?.evidenceIds.length !== 0;
    return [
      ...(isOwnRedLine
        ? []
        : [`red_lines: ${JSON.stringify(rule_id)} is not a red line of ${seat.role}`]),
      ...(hasValidEvidence ? [] : [`red_lines: ${rule_id} cites unknown evidence ids`]),
    ];
  });
  if (faults.length > 0) return { ok: false, faults };
  const content = toJsonObject({ conditions, red_lines, gaps });
  return { ok: true, answer: { ...parsedStand.answer, content } };
}

function parseQuestions(value: unknown, { seat, roles = {} }: TurnOrder): ParsedAnswer {
  const parsed = QuestionContent.extend({
    confidence: CommonAnswer.confidence.optional(),
  }).safeParse(value);
  if (!parsed.success) return rejectInvalid(parsed.error);
  const { questions, confidence = 0 } = parsed.data;
  const seatOf = (role: string) =>
    Object.entries(roles).find(([, name]) => name === role && name !== seat.role)?.[0];
  const others = Object.values(roles).filter((role) => role !== seat.role);
  const faults = questions
    .filter(({ to }) => seatOf(to) === undefined)
    .map(({ to }) => `questions: ${to} is not one of ${others.join(', ')}`);
  if (faults.length > 0) return { ok: false, faults };
  const addressed = [...new Set(questions.flatMap(({ to }) => seatOf(to) ?? []))];
  const argument = questions.map(({ to, text }) => `To ${to}: ${text}`).join('\n');
  return createAnswer(argument === '' ? 'No question.' : argument, {
    confidence,
    addressed,
    content: toJsonObject({ questions }),
  });
}

function parseAnswers(
  value: unknown,
  { roles = {} }: TurnOrder,
  brief: CouncilBrief,
): ParsedAnswer {
  const parsed = AnswerContent.safeParse(value);
  if (!parsed.success) return rejectInvalid(parsed.error);
  const answers = parsed.data.answers.map((one) => ({
    question_id: one.question_id,
    text: one.text,
    evidenceIds: filterKnownEvidence(one.evidenceIds, brief),
  }));
  const cited = answers.flatMap(({ evidenceIds }) => evidenceIds);
  const askers = new Set(answers.map(({ question_id }) => parseAsker(question_id)));
  const addressed = Object.entries(roles)
    .filter(([, role]) => askers.has(role))
    .map(([seatId]) => seatId);
  const argument = answers.map(({ question_id, text }) => `${question_id}: ${text}`).join('\n');
  return createAnswer(argument === '' ? 'No answer.' : argument, {
    confidence: 0,
    addressed,
    evidenceIds: [...new Set(cited)],
    content: toJsonObject({ answers }),
  });
}

function createAnswer(
  argument: string,
  o: {
    readonly confidence: number;
    readonly addressed: readonly string[];
    readonly evidenceIds?: readonly string[];
    readonly content: JsonObject;
  },
): ParsedAnswer {
  return { ok: true, answer: { argument, evidenceIds: [], changeReason: null, ...o } };
}

function rejectInvalid(error: z.ZodError): ParsedAnswer {
  return { ok: false, faults: error.issues.map(formatIssue) };
}

function toJsonObject(value: object): JsonObject {
  return value as JsonObject;
}
