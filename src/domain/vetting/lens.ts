import { z } from 'zod';
import { DataFault } from '../data/fault.ts';
import { SourceRecord } from '../data/source.ts';
import { DataValue } from '../data/value.ts';

/** How much a finding weighs. */
export const FindingSeverity = z.enum(['info', 'low', 'medium', 'high']);
/** See {@link FindingSeverity}. */
export type FindingSeverity = z.infer<typeof FindingSeverity>;

/** What a lens saw, with the sources that it saw it in. */
export const LensFinding = z.object({
  rule: z.string(),
  severity: FindingSeverity,
  claim: z.string(),
  cited: z.array(z.string()).min(1),
});
/** See {@link LensFinding}. */
export type LensFinding = z.infer<typeof LensFinding>;

/** How far a lens could look. `no_data`: it looked, and there is nothing on record. */
export const LensStatus = z.enum(['ok', 'partial', 'no_data', 'not_configured', 'failed']);
/** See {@link LensStatus}. */
export type LensStatus = z.infer<typeof LensStatus>;

/** One lens of an answer. */
export const LensReport = z.object({
  lens: z.string(),
  status: LensStatus,
  note: z.string().nullable().describe('Why it is not ok, or what it does not say.'),
  findings: z.array(LensFinding),
  figures: z.array(z.object({ name: z.string(), formula: z.string(), figure: DataValue })),
  searched: z.array(z.string()).describe('Registries, lists and records that were looked at.'),
});
/** See {@link LensReport}. */
export type LensReport = z.infer<typeof LensReport>;

/** A source as a lens keeps it: before it has its name inside an answer. */
export const LensSource = SourceRecord.omit({ id: true });

/** What one lens found, as its step keeps it. Findings and figures cite sources by place. */
export const LensResult = z.object({
  status: LensStatus,
  note: z.string().nullable(),
  findings: z.array(LensFinding.extend({ cited: z.array(z.int()).min(1) })),
  figures: z.array(
    z.object({
      ...{ name: z.string(), formula: z.string(), value: z.string(), unit: z.string() },
      /** Milliseconds. */
      ...{ asOf: z.number(), maxAgeMs: z.number(), cited: z.array(z.int()).min(1) },
    }),
  ),
  searched: z.array(z.string()),
  sources: z.array(LensSource),
  faults: z.array(DataFault),
});
/** See {@link LensResult}. */
export type LensResult = z.infer<typeof LensResult>;

/** Words one thing that a lens saw; `place` is that of its source among those of the lens. */
export function findingOf(
  rule: string,
  severity: FindingSeverity,
  claim: string,
  place: number,
): LensResult['findings'][number] {
  return { rule, severity, claim, cited: [place] };
}

/** How risky somebody looks over all lenses. */
export const VettingVerdict = z.enum(['low', 'medium', 'high', 'insufficient_evidence']);
/** See {@link VettingVerdict}. */
export type VettingVerdict = z.infer<typeof VettingVerdict>;

/** The answer about one company. */
export const VettingReport = z.object({
  subject: z.string(),
  verdict: VettingVerdict.describe('Worst finding; insufficient_evidence: under two lenses saw.'),
  lenses: z.array(LensReport),
  red_flags: z.array(LensFinding.extend({ lens: z.string() })),
});
/** See {@link VettingReport}. */
export type VettingReport = z.infer<typeof VettingReport>;

/** Lenses that must have seen something before a verdict is given. */
export const LENSES_SEEN_MIN = 2;

/** Folds lenses into one verdict: the worst finding, once enough of them could look. */
export function verdictOf(
  lenses: readonly Pick<LensReport, 'status' | 'findings'>[],
): VettingVerdict {
  const severities = lenses.flatMap(({ findings }) => findings.map(({ severity }) => severity));
  if (severities.includes('high')) return 'high';
  const seen = lenses.filter(({ status }) => status === 'ok' || status === 'partial');
  if (seen.length < LENSES_SEEN_MIN) return 'insufficient_evidence';
  return severities.includes('medium') ? 'medium' : 'low';
}
