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
  readonly coveredMin: number;
  /** Lenses that do not count towards the minimum because they say too little. */
  readonly ignored: readonly string[];
  /** Required status of specific lenses, by name. */
  readonly requiredStatuses: Readonly<Record<string, readonly LensStatus[]>>;
}

/** Minimum number of lenses with data for a vetting verdict. */
export const VENDOR_LENSES_MIN = 2;
/** Minimum number of lenses with data for a due diligence verdict. */
export const DILIGENCE_LENSES_MIN = 5;

/** Coverage required for a vendor verdict. */
export const VENDOR_RULE: VerdictRule = {
  coveredMin: VENDOR_LENSES_MIN,
  ignored: [],
  requiredStatuses: {},
};

const COVERED: readonly LensStatus[] = ['ok', 'partial'];

/**
 * Coverage required for a due diligence verdict. Partially searched sanctions lists do not suffice.
 */
export const DILIGENCE_RULE: VerdictRule = {
  coveredMin: DILIGENCE_LENSES_MIN,
  ignored: ['web_presence'],
  requiredStatuses: {
    identity: COVERED,
    financials: COVERED,
    sanctions: ['ok'],
    media_sentiment: COVERED,
  },
};

type LensCoverage = Pick<LensReport, 'lens' | 'status' | 'findings'>;

/** Returns the worst finding over all lenses, if coverage is sufficient. */
export function computeVerdict(lenses: readonly LensCoverage[], rule: VerdictRule): VettingVerdict {
  const severities = lenses.flatMap(({ findings }) => findings.map(({ severity }) => severity));
  if (severities.includes('high')) return 'high';
  if (listMissingCoverage(lenses, rule).length > 0) return 'insufficient_evidence';
  return severities.includes('medium') ? 'medium' : 'low';
}

/** Lists the missing coverage of a verdict; empty if it is sufficient. */
export function listMissingCoverage(
  lenses: readonly Pick<LensCoverage, 'lens' | 'status'>[],
  { coveredMin, ignored, requiredStatuses }: VerdictRule,
): readonly string[] {
  const counted = lenses.filter(({ lens }) => !ignored.includes(lens));
  const coveredCount = counted.filter(({ status }) => COVERED.includes(status)).length;
  const unmet = lenses.filter(
    ({ lens, status }) => requiredStatuses[lens]?.includes(status) === false,
  );
  return [
    ...unmet.map(({ lens, status }) => `${lens} is ${status}`),
    ...(coveredCount < coveredMin
      ? [`${coveredCount} lenses have data, ${coveredMin} are required`]
      : []),
  ];
}

/** Returns the findings of medium and high severity, by lens. */
export function listRedFlags(lenses: readonly LensCoverage[]): RedFlag[] {
  return lenses.flatMap(({ lens, findings }) =>
    findings
      .filter(({ severity }) => severity === 'high' || severity === 'medium')
      .map((finding) => ({ ...finding, lens })),
  );
}
