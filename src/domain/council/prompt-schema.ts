import type { TurnOrder, TurnPrompt } from '../panel/order.ts';
import { ARGUMENT_CHARS_MAX } from '../panel/records.ts';
import { CONDITIONS_MAX, DUE_DAYS_MAX, ITEM_CHARS_MAX, QUESTIONS_MAX } from './content.ts';
import type { CouncilBrief } from './records.ts';
import { ROLE_NAMES } from './roles.ts';
import { COUNCIL_RULES } from './rules/rules.ts';

type Schema = Record<string, unknown>;

/** Returns the JSON Schema for answers of a phase. */
export function answerSchema(order: TurnOrder, brief: CouncilBrief): TurnPrompt['schema'] {
  const properties = buildProperties(order, brief);
  return { name: `panel_${order.phase}`, jsonSchema: objectSchema(properties) };
}

function buildProperties(order: TurnOrder, brief: CouncilBrief): Schema {
  const option = { type: 'string', enum: brief.options.map(({ optionId }) => optionId) };
  const argument = { type: 'string', maxLength: ARGUMENT_CHARS_MAX };
  const confidence = { type: 'number', minimum: 0, maximum: 1 };
  const text = { type: 'string', maxLength: ITEM_CHARS_MAX };
  const evidenceIds = { type: 'array', items: evidenceSchema(brief) };
  switch (order.phase) {
    case 'opinion':
      return {
        position: option,
        argument,
        confidence,
        evidenceIds,
        conditions: listSchema(CONDITIONS_MAX, {
          text,
          owner: { type: 'string', enum: [...ROLE_NAMES] },
          due_days: { type: 'integer', minimum: 0, maximum: DUE_DAYS_MAX },
        }),
        red_lines: listSchema(4, { rule_id: redLineSchema(order.seat.role), evidenceIds }),
        gaps: { type: 'array', maxItems: 4, items: text },
      };
    case 'question':
      return { questions: listSchema(QUESTIONS_MAX, { to: otherRolesSchema(order), text }) };
    case 'answer':
      return {
        answers: listSchema(QUESTIONS_MAX * ROLE_NAMES.length, {
          question_id: { type: 'string' },
          text,
          evidenceIds,
        }),
      };
    default:
      return { ranking: { type: 'array', items: option }, argument, confidence };
  }
}

function evidenceSchema({ evidence }: CouncilBrief): Schema {
  const ids = evidence.map(({ evidenceId }) => evidenceId);
  return ids.length > 0 ? { type: 'string', enum: ids } : { type: 'string' };
}

function redLineSchema(role: string): Schema {
  const ids = COUNCIL_RULES.filter((rule) => rule.isRedLine && rule.role === role);
  return ids.length === 0
    ? { type: 'string' }
    : { type: 'string', enum: ids.map(({ ruleId }) => ruleId) };
}

function otherRolesSchema({ roles = {}, seat }: TurnOrder): Schema {
  return { type: 'string', enum: Object.values(roles).filter((role) => role !== seat.role) };
}

function listSchema(maxItems: number, properties: Schema): Schema {
  return { type: 'array', maxItems, items: objectSchema(properties) };
}

function objectSchema(properties: Schema): Schema {
  const required = Object.keys(properties);
  return { type: 'object', properties, required, additionalProperties: false };
}
