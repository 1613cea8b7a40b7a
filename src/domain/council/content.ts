import { z } from 'zod';
import { cutText, findNamed, readCount, readList } from '../llm/near-values.ts';
import { CitedIds } from '../panel/forms.ts';
import { ROLE_NAMES } from './roles.ts';

/** Most conditions of one opinion. */
export const CONDITIONS_MAX = 4;
/** Most questions of one seat. */
export const QUESTIONS_MAX = 2;
/** Longest text of a condition, question or answer, in characters. */
export const ITEM_CHARS_MAX = 300;
/** Latest due date of a condition, in days from the start. */
export const DUE_DAYS_MAX = 730;

const Text = z.preprocess(cutText(ITEM_CHARS_MAX), z.string().trim().min(1).max(ITEM_CHARS_MAX));
const Role = z.preprocess(readRole, z.enum(ROLE_NAMES));
/** Names of members that answers of a council have beside those of every panel. */
export const CONTENT_NAMES = [
  ...['conditions', 'text', 'owner', 'due_days', 'red_lines', 'rule_id', 'gaps', 'evidenceIds'],
  ...['questions', 'to', 'answers', 'question_id', 'confidence'],
];

/** What an opinion holds beside its argument. */
export const OpinionContent = z.object({
  conditions: listOf(
    z.object({
      text: Text,
      owner: Role,
      due_days: z.preprocess(readCount, z.int().min(0).max(DUE_DAYS_MAX)),
    }),
    CONDITIONS_MAX,
  ),
  red_lines: listOf(z.object({ rule_id: z.string().trim().max(40), evidenceIds: CitedIds }), 4),
  gaps: listOf(Text, 4),
});
/** See {@link OpinionContent}. */
export type OpinionContent = z.infer<typeof OpinionContent>;

/** Questions of one seat to others. */
export const QuestionContent = z.object({
  questions: givenListOf(z.object({ to: Role, text: Text }), QUESTIONS_MAX),
});
/** See {@link QuestionContent}. */
export type QuestionContent = z.infer<typeof QuestionContent>;

/** Answers of one seat; a question is named as `<role>-q<number>`. */
export const AnswerContent = z.object({
  answers: givenListOf(
    z.object({ question_id: z.string().trim().max(40), text: Text, evidenceIds: CitedIds }),
    QUESTIONS_MAX * ROLE_NAMES.length,
  ),
});
/** See {@link AnswerContent}. */
export type AnswerContent = z.infer<typeof AnswerContent>;

/** Names the question at a place of what a role asked. */
export function questionId(role: string, place: number): string {
  return `${role}-q${place + 1}`;
}

/** The role that asked a question, by the question's name. */
export function askerOf(id: string): string {
  return id.replace(/-q\d+$/, '');
}

/** A list of an answer: a single item counts as a list of one, and nothing as an empty one. */
function listOf<T extends z.ZodType>(item: T, most: number) {
  return z.preprocess(readList, z.array(item).max(most).default([]));
}

/** A list that tells by its name what the answer is: it must be there. */
function givenListOf<T extends z.ZodType>(item: T, most: number) {
  return z.preprocess(readList, z.array(item).max(most));
}

function readRole(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const all = ROLE_NAMES.map((id) => ({ id, name: id }));
  return findNamed(value, all) ?? value;
}
