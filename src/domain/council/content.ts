import { z } from 'zod';
import { coerceCount, coerceList, findReferenced, truncateText } from '../llm/coerce.ts';
import { CitedIds } from '../panel/answer-forms.ts';
import { ROLE_NAMES } from './roles.ts';

/** Maximum number of conditions per opinion. */
export const CONDITIONS_MAX = 4;
/** Maximum number of questions per seat. */
export const QUESTIONS_MAX = 2;
/** Maximum length of a condition, question or answer, in characters. */
export const ITEM_CHARS_MAX = 300;
/** Latest due date of a condition, in days after the start. */
export const DUE_DAYS_MAX = 730;

const Text = z.preprocess(
  truncateText(ITEM_CHARS_MAX),
  z.string().trim().min(1).max(ITEM_CHARS_MAX),
);
const Role = z.preprocess(readRole, z.enum(ROLE_NAMES));
/** Member names of council answers in addition to those of every panel. */
export const CONTENT_NAMES = [
  ...['conditions', 'text', 'owner', 'due_days', 'red_lines', 'rule_id', 'gaps', 'evidenceIds'],
  ...['questions', 'to', 'answers', 'question_id', 'confidence'],
];

/** Content of an opinion in addition to its argument. */
export const OpinionContent = z.object({
  conditions: optionalList(
    z.object({
      text: Text,
      owner: Role,
      due_days: z.preprocess(coerceCount, z.int().min(0).max(DUE_DAYS_MAX)),
    }),
    CONDITIONS_MAX,
  ),
  red_lines: optionalList(
    z.object({ rule_id: z.string().trim().max(40), evidenceIds: CitedIds }),
    4,
  ),
  gaps: optionalList(Text, 4),
});
/** A parsed {@link OpinionContent}. */
export type OpinionContent = z.infer<typeof OpinionContent>;

/** Questions of one seat to other roles. */
export const QuestionContent = z.object({
  questions: requiredList(z.object({ to: Role, text: Text }), QUESTIONS_MAX),
});
/** A parsed {@link QuestionContent}. */
export type QuestionContent = z.infer<typeof QuestionContent>;

/** Answers of one seat; a question id has the form `<role>-q<number>`. */
export const AnswerContent = z.object({
  answers: requiredList(
    z.object({ question_id: z.string().trim().max(40), text: Text, evidenceIds: CitedIds }),
    QUESTIONS_MAX * ROLE_NAMES.length,
  ),
});
/** A parsed {@link AnswerContent}. */
export type AnswerContent = z.infer<typeof AnswerContent>;

/** Returns the id of a role's question at an index. */
export function createQuestionId(role: string, index: number): string {
  return `${role}-q${index + 1}`;
}

/** Returns the role that asked a question, from the question id. */
export function parseAsker(id: string): string {
  return id.replace(/-q\d+$/, '');
}

/** An optional list: a single item counts as a list of one, a missing one as empty. */
function optionalList<T extends z.ZodType>(item: T, most: number) {
  return z.preprocess(coerceList, z.array(item).max(most).default([]));
}

/** A required list, because its name identifies the kind of answer. */
function requiredList<T extends z.ZodType>(item: T, most: number) {
  return z.preprocess(coerceList, z.array(item).max(most));
}

function readRole(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const all = ROLE_NAMES.map((id) => ({ id, name: id }));
  return findReferenced(value, all) ?? value;
}
