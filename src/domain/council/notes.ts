import { z } from 'zod';
import type { PanelNotes } from '../panel/definition.ts';
import { ROLE_NAMES } from './roles.ts';

const Role = z.enum(ROLE_NAMES);

/** Result of one rule for the facts. */
export const CheckNote = z.object({
  rule_id: z.string(),
  role: Role,
  title: z.string(),
  is_red_line: z.boolean(),
  verdict: z.enum(['pass', 'fail', 'unknown']),
  text: z.string(),
});
/** A parsed {@link CheckNote}. */
export type CheckNote = z.infer<typeof CheckNote>;

/** A stated number that differs from the one recomputed from the brief's lines. */
export const WrongNumberNote = z.object({
  figure: z.string(),
  stated: z.string(),
  recomputed: z.string(),
  difference: z.string(),
});

/** Numbers recomputed from the brief. Amounts are micro-dollars as text. */
export const FactNote = z.object({
  tco_micro_usd: z.string().nullable(),
  tco_discounted_micro_usd: z.string().nullable(),
  budget_micro_usd: z.string().nullable(),
  budget_left_micro_usd: z.string().nullable(),
  payback_months: z.union([z.number(), z.literal('never')]).nullable(),
  wrong_numbers: z.array(WrongNumberNote),
  checks: z.array(CheckNote),
});
/** A parsed {@link FactNote}. */
export type FactNote = z.infer<typeof FactNote>;

/** An accepted red line. */
export const RaisedLine = z.object({
  rule_id: z.string(),
  role: Role,
  text: z.string(),
  /**
   * `facts`: found in the facts. `seat`: raised by the role's seat because the facts are silent.
   */
  raised_by: z.enum(['facts', 'seat']),
  evidence_ids: z.array(z.string()),
  is_veto: z.boolean(),
});
/** A parsed {@link RaisedLine}. */
export type RaisedLine = z.infer<typeof RaisedLine>;

/** A rejected red line of a seat. */
export const RefusedLine = z.object({ rule_id: z.string(), role: z.string(), why: z.string() });

/** Accepted and rejected red lines after the opinions. */
export const RedLineNote = z.object({
  raised: z.array(RaisedLine),
  refused: z.array(RefusedLine),
});
/** A parsed {@link RedLineNote}. */
export type RedLineNote = z.infer<typeof RedLineNote>;

/** A condition with its owner and due date. */
export const Condition = z.object({
  text: z.string(),
  owner: Role,
  /** YYYY-MM-DD. */
  due: z.string(),
  /** Roles that asked for it. */
  asked_by: z.array(Role),
  /** The red line that it answers. */
  rule_id: z.string().optional(),
});
/** A parsed {@link Condition}. */
export type Condition = z.infer<typeof Condition>;

/** A point without evidence in the brief. */
export const Gap = z.object({ role: Role, text: z.string() });
/** A parsed {@link Gap}. */
export type Gap = z.infer<typeof Gap>;

/** A question and its answer in the cross-examination. */
export const Exchange = z.object({
  from: Role,
  to: Role,
  question: z.string(),
  /** `null` if the role did not answer. */
  answer: z.string().nullable(),
  evidence_ids: z.array(z.string()),
  /** False if the answer cites no evidence; it then counts as a gap. */
  is_supported: z.boolean(),
});
/** A parsed {@link Exchange}. */
export type Exchange = z.infer<typeof Exchange>;

/** The merged result of opinions and cross-examination. */
export const MergeNote = z.object({
  conditions: z.array(Condition),
  gaps: z.array(Gap),
  exchanges: z.array(Exchange),
});
/** A parsed {@link MergeNote}. */
export type MergeNote = z.infer<typeof MergeNote>;

/** Reads the note of `fact_check`, or `undefined` if it does not exist yet. */
export function readFactNote(notes: PanelNotes): FactNote | undefined {
  return parseNote(FactNote, notes['fact_check']);
}

/** Reads the note of `red_lines`, or `undefined` if it does not exist yet. */
export function readRedLineNote(notes: PanelNotes): RedLineNote | undefined {
  return parseNote(RedLineNote, notes['red_lines']);
}

/** Reads the note of `conditions_merge`, or `undefined` if it does not exist yet. */
export function readMergeNote(notes: PanelNotes): MergeNote | undefined {
  return parseNote(MergeNote, notes['conditions_merge']);
}

function parseNote<T>(shape: z.ZodType<T>, value: unknown): T | undefined {
  return value === undefined ? undefined : shape.parse(value);
}
