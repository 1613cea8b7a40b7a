import { z } from 'zod';
import type { PanelNotes } from '../panel/definition.ts';
import { ROLE_NAMES } from './roles.ts';

const Role = z.enum(ROLE_NAMES);

/** One rule, applied to the facts. */
export const CheckNote = z.object({
  rule_id: z.string(),
  role: Role,
  title: z.string(),
  is_red_line: z.boolean(),
  verdict: z.enum(['pass', 'fail', 'unknown']),
  text: z.string(),
});
/** See {@link CheckNote}. */
export type CheckNote = z.infer<typeof CheckNote>;

/** A figure that the brief states otherwise than its own lines give. */
export const WrongNumberNote = z.object({
  figure: z.string(),
  stated: z.string(),
  recomputed: z.string(),
  difference: z.string(),
});

/** What code recomputed from the brief. Amounts are micro-dollars as text. */
export const FactNote = z.object({
  tco_micro_usd: z.string().nullable(),
  tco_discounted_micro_usd: z.string().nullable(),
  budget_micro_usd: z.string().nullable(),
  budget_left_micro_usd: z.string().nullable(),
  payback_months: z.union([z.number(), z.literal('never')]).nullable(),
  wrong_numbers: z.array(WrongNumberNote),
  checks: z.array(CheckNote),
});
/** See {@link FactNote}. */
export type FactNote = z.infer<typeof FactNote>;

/** A red line that stands. */
export const RaisedLine = z.object({
  rule_id: z.string(),
  role: Role,
  text: z.string(),
  /** `facts`: code found it there. `seat`: the role's seat raised it where facts are silent. */
  raised_by: z.enum(['facts', 'seat']),
  evidence_ids: z.array(z.string()),
  is_veto: z.boolean(),
});
/** See {@link RaisedLine}. */
export type RaisedLine = z.infer<typeof RaisedLine>;

/** A red line that a seat raised and that does not stand. */
export const RefusedLine = z.object({ rule_id: z.string(), role: z.string(), why: z.string() });

/** The red lines after the opinions. */
export const RedLineNote = z.object({
  raised: z.array(RaisedLine),
  refused: z.array(RefusedLine),
});
/** See {@link RedLineNote}. */
export type RedLineNote = z.infer<typeof RedLineNote>;

/** A condition, with who sees to it and until when. */
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
/** See {@link Condition}. */
export type Condition = z.infer<typeof Condition>;

/** Something that the brief has no evidence for. */
export const Gap = z.object({ role: Role, text: z.string() });
/** See {@link Gap}. */
export type Gap = z.infer<typeof Gap>;

/** Question and answer of the cross-examination. */
export const Exchange = z.object({
  from: Role,
  to: Role,
  question: z.string(),
  /** `null`: the role did not answer. */
  answer: z.string().nullable(),
  evidence_ids: z.array(z.string()),
  /** False: the answer cites no evidence, and counts as a gap. */
  is_supported: z.boolean(),
});
/** See {@link Exchange}. */
export type Exchange = z.infer<typeof Exchange>;

/** What the opinions and the cross-examination come to. */
export const MergeNote = z.object({
  conditions: z.array(Condition),
  gaps: z.array(Gap),
  exchanges: z.array(Exchange),
});
/** See {@link MergeNote}. */
export type MergeNote = z.infer<typeof MergeNote>;

/** Reads the note of `fact_check`; `undefined` before it is there. */
export function factNote(notes: PanelNotes): FactNote | undefined {
  return read(FactNote, notes['fact_check']);
}

/** Reads the note of `red_lines`; `undefined` before it is there. */
export function redLineNote(notes: PanelNotes): RedLineNote | undefined {
  return read(RedLineNote, notes['red_lines']);
}

/** Reads the note of `conditions_merge`; `undefined` before it is there. */
export function mergeNote(notes: PanelNotes): MergeNote | undefined {
  return read(MergeNote, notes['conditions_merge']);
}

function read<T>(shape: z.ZodType<T>, value: unknown): T | undefined {
  return value === undefined ? undefined : shape.parse(value);
}
