import { z } from 'zod';
import type { ParsedAnswer } from './answer.ts';
import type { PanelBrief } from './definition.ts';
import { ARGUMENT_CHARS_MAX } from './records.ts';

/** What an answer is checked against. */
export type FormRules = Pick<PanelBrief, 'options' | 'evidence'>;

/** Members that every form of answer has. */
export const CommonAnswer = {
  argument: z.string().trim().min(1).max(ARGUMENT_CHARS_MAX),
  confidence: z.number().min(0).max(1),
};

const StandAnswer = z.object({
  position: z.string(),
  ...CommonAnswer,
  evidenceIds: z.array(z.string()).max(64).default([]),
  changed: z.boolean().optional(),
  changeReason: z.string().max(ARGUMENT_CHARS_MAX).nullish(),
});
const VoteAnswer = z.object({ ranking: z.array(z.string()).min(1).max(64), ...CommonAnswer });

/** Checks a stand: one option with its argument and evidence. Never throws. */
export function parseStand(value: unknown, rules: FormRules): ParsedAnswer {
  const parsed = StandAnswer.safeParse(value);
  if (!parsed.success) return { ok: false, faults: parsed.error.issues.map(faultOf) };
  const given = parsed.data;
  const faults = unknownEvidence(given.evidenceIds, rules);
  const position = optionIdOf(given.position, rules);
  if (position === undefined) faults.unshift(optionFault('position', given.position, rules));
  if (position === undefined || faults.length > 0) return { ok: false, faults };
  const { argument, confidence, evidenceIds, changeReason = null } = given;
  return { ok: true, answer: { position, argument, confidence, evidenceIds, changeReason } };
}

/** Checks a ballot: options by id or exact name, best first, each at most once. Never throws. */
export function parseBallot(value: unknown, rules: FormRules): ParsedAnswer {
  const parsed = VoteAnswer.safeParse(value);
  if (!parsed.success) return { ok: false, faults: parsed.error.issues.map(faultOf) };
  const given = parsed.data;
  const faults: string[] = [];
  const ranking: string[] = [];
  for (const named of given.ranking) {
    const optionId = optionIdOf(named, rules);
    if (optionId === undefined) faults.push(optionFault('ranking', named, rules));
    else if (ranking.includes(optionId)) faults.push(`ranking: ${optionId} stands there twice`);
    else ranking.push(optionId);
  }
  const [position] = ranking;
  if (position === undefined || faults.length > 0) return { ok: false, faults };
  const { argument, confidence } = given;
  const answer = { position, argument, confidence, ranking, evidenceIds: [], changeReason: null };
  return { ok: true, answer };
}

/** Words a fault of a schema. */
export function faultOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.length === 0 ? 'answer' : issue.path.join('.');
  return `${path}: ${issue.message}`;
}

/**
 * The option that an answer names by id or exact name. Ids go first: an option whose name is the id
 * of another one takes none of its votes.
 */
export function optionIdOf(named: string, { options }: FormRules): string | undefined {
  const wanted = named.trim().toLowerCase();
  const byId = options.find(({ optionId }) => optionId === wanted);
  const byName = () => options.find(({ name }) => name.trim().toLowerCase() === wanted);
  return (byId ?? byName())?.optionId;
}

/** Says that a text names no option, and which there are. */
export function optionFault(path: string, received: string, { options }: FormRules): string {
  const allowed = options.map((option) => option.optionId).join(', ');
  return `${path}: ${quoted(received)} is none of ${allowed}`;
}

/** One fault for every id that names no evidence. */
export function unknownEvidence(ids: readonly string[], { evidence }: FormRules): string[] {
  const known = new Set(evidence.map((item) => item.evidenceId));
  return ids
    .filter((id) => !known.has(id))
    .map((id) => `evidenceIds: no evidence has the id ${quoted(id)}`);
}

/** Quotes a text of somebody else, shortened, for a fault. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
