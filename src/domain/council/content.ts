import { z } from 'zod';
import { ROLE_NAMES } from './roles.ts';

/** Most conditions of one opinion. */
export const CONDITIONS_MAX = 4;
/** Most questions of one seat. */
export const QUESTIONS_MAX = 2;
/** Longest text of a condition, question or answer, in characters. */
export const ITEM_CHARS_MAX = 300;
/** Latest due date of a condition, in days from the start. */
export const DUE_DAYS_MAX = 730;

const Text = z.string().trim().min(1).max(ITEM_CHARS_MAX);
const EvidenceIds = z.array(z.string().max(60)).max(16);

/** What an opinion holds beside its argument. */
export const OpinionContent = z.object({
  conditions: z
    .array(
      z.object({
        text: Text,
        owner: z.enum(ROLE_NAMES),
        due_days: z.int().min(0).max(DUE_DAYS_MAX),
      }),
    )
    .max(CONDITIONS_MAX)
    .default([]),
  red_lines: z
    .array(z.object({ rule_id: z.string().max(40), evidenceIds: EvidenceIds.default([]) }))
    .max(4)
    .default([]),
  gaps: z.array(Text).max(4).default([]),
});
/** See {@link OpinionContent}. */
export type OpinionContent = z.infer<typeof OpinionContent>;

/** Questions of one seat to others. */
export const QuestionContent = z.object({
  questions: z.array(z.object({ to: z.enum(ROLE_NAMES), text: Text })).max(QUESTIONS_MAX),
});
/** See {@link QuestionContent}. */
export type QuestionContent = z.infer<typeof QuestionContent>;

/** Answers of one seat; a question is named as `<role>-q<number>`. */
export const AnswerContent = z.object({
  answers: z
    .array(
      z.object({
        question_id: z.string().max(40),
        text: Text,
        evidenceIds: EvidenceIds.default([]),
      }),
    )
    .max(QUESTIONS_MAX * ROLE_NAMES.length),
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
