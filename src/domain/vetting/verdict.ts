import { z } from 'zod';
import { LensFinding, LensReport, type LensStatus } from './lens.ts';

/** Overall risk verdict. */
export const VettingVerdict = z.enum(['low', 'medium', 'high', 'insufficient_evidence']);
/** The overall risk verdict. */
export type VettingVerdict = z.infer<typeof VettingVerdict>;

/** A finding of medium or high severity, with its lens. */
export const RedFlag = LensFinding.extend({ lens: z.string() });
/** A finding of medium or high severity. */
export type RedFlag = z.infer<typeof RedFlag>;

/** Report on one vendor. */
export const VettingReport = z.object({
  subject: z.string(),
  verdict: VettingVerdict.describe('Worst finding; insufficient_evidence below 2 lenses.'),
  lenses: z.array(LensReport),
  red_flags: z.array(RedFlag),
});
/** Report on one vendor. */
export type VettingReport = z.infer<typeof VettingReport>;

/** Report of a due diligence. */
export const DiligenceReport = z.object({
  subject: z.string(),
  overall: VettingVerdict.describe('Worst finding, if coverage is sufficient.'),
  overall_missing: z
    .array(z.string())
    .describe('Missing coverage that prevents an overall verdict.'),
  lenses: z.array(LensReport),
  red_flags: z.array(RedFlag),
});
/** Report of a due diligence. */
export type DiligenceReport = z.infer<typeof DiligenceReport>;

/** Coverage that a verdict requires. */
export interface VerdictRule {
  /** Minimum number of lenses with data. */
  readonly seenMin: number;
  /** Lenses that do not count towards the minimum because they say too little. */
  readonly aside: readonly string[];
  /** Required status of specific lenses, by name. */
  readonly needed: Readonly<Record<string, readonly LensStatus[]>>;
}

/** Minimum number of lenses with data for a vetting verdict. */
export const LENSES_SEEN_MIN = 2;
/** Minimum number of lenses with data for a due diligence verdict. */
export const DILIGENCE_SEEN_MIN = 5;

/** Coverage required for a vendor verdict. */
export const VENDOR_RULE: VerdictRule = { seenMin: LENSES_SEEN_MIN, aside: [], needed: {} };

const SEEN: readonly LensStatus[] = ['ok', 'partial'];

/**
 * Coverage required for a due diligence verdict. Partially searched sanctions lists do not suffice.
 */
export const DILIGENCE_RULE: VerdictRule = {
  seenMin: DILIGENCE_SEEN_MIN,
  aside: ['web_presence'],
  needed: { identity: SEEN, financials: SEEN, sanctions: ['ok'], media_sentiment: SEEN },
};

type Looked = Pick<LensReport, 'lens' | 'status' | 'findings'>;

/** Returns the worst finding over all lenses, if coverage is sufficient. */
export function verdictOf(lenses: readonly Looked[], rule: VerdictRule): VettingVerdict {
  const severities = lenses.flatMap(({ findings }) => findings.map(({ severity }) => severity));
  if (severities.includes('high')) return 'high';
  if (missingFor(lenses, rule).length > 0) return 'insufficient_evidence';
  return severities.includes('medium') ? 'medium' : 'low';
}

/** Lists the missing coverage of a verdict; empty if it is sufficient. */
export function missingFor(
  lenses: readonly Pick<Looked, 'lens' | 'status'>[],
  { seenMin, aside, needed }: VerdictRule,
): readonly string[] {
  const counted = lenses.filter(({ lens }) => !aside.includes(lens));
  const seen = counted.filter(({ status }) => SEEN.includes(status)).length;
  const wanting = lenses.filter(({ lens, status }) => needed[lens]?.includes(status) === false);
  return [
    ...wanting.map(({ lens, status }) => `${lens} is ${status}`),
    ...(seen < seenMin ? [`${seen} lenses have data, ${seenMin} are required`] : []),
  ];
}

/** Returns the findings of medium and high severity, by lens. */
export function redFlagsOf(lenses: readonly Looked[]): RedFlag[] {
  return lenses.flatMap(({ lens, findings }) =>
    findings
      .filter(({ severity }) => severity === 'high' || severity === 'medium')
      .map((finding) => ({ ...finding, lens })),
  );
}
