import { z } from 'zod';
import { LensFinding, LensReport, type LensStatus } from './lens.ts';

/** How risky somebody looks over all lenses. */
export const VettingVerdict = z.enum(['low', 'medium', 'high', 'insufficient_evidence']);
/** See {@link VettingVerdict}. */
export type VettingVerdict = z.infer<typeof VettingVerdict>;

/** A finding that weighs, with the lens that saw it. */
export const RedFlag = LensFinding.extend({ lens: z.string() });
/** See {@link RedFlag}. */
export type RedFlag = z.infer<typeof RedFlag>;

/** The answer about one vendor. */
export const VettingReport = z.object({
  subject: z.string(),
  verdict: VettingVerdict.describe('Worst finding; insufficient_evidence: under two lenses saw.'),
  lenses: z.array(LensReport),
  red_flags: z.array(RedFlag),
});
/** See {@link VettingReport}. */
export type VettingReport = z.infer<typeof VettingReport>;

/** The answer of a due diligence. */
export const DiligenceReport = z.object({
  subject: z.string(),
  overall: VettingVerdict.describe('Worst finding, where enough could be looked at to say it.'),
  overall_missing: z
    .array(z.string())
    .describe('What could not be looked at and keeps the overall from being said.'),
  lenses: z.array(LensReport),
  red_flags: z.array(RedFlag),
});
/** See {@link DiligenceReport}. */
export type DiligenceReport = z.infer<typeof DiligenceReport>;

/** What must have been looked at before a verdict is given. */
export interface VerdictRule {
  /** Lenses that must have seen something, at the least. */
  readonly seenMin: number;
  /** Lenses that say too little about a company to count among those. */
  readonly aside: readonly string[];
  /** How certain lenses must have ended, by name. */
  readonly needed: Readonly<Record<string, readonly LensStatus[]>>;
}

/** Lenses of a vetting that must have seen something before a verdict is given. */
export const LENSES_SEEN_MIN = 2;
/** Lenses of a due diligence that must have seen something before an overall is given. */
export const DILIGENCE_SEEN_MIN = 5;

/** What the verdict on a vendor wants. */
export const VENDOR_RULE: VerdictRule = { seenMin: LENSES_SEEN_MIN, aside: [], needed: {} };

const SEEN: readonly LensStatus[] = ['ok', 'partial'];

/** What the overall of a due diligence wants: lists that were only half searched are not clean. */
export const DILIGENCE_RULE: VerdictRule = {
  seenMin: DILIGENCE_SEEN_MIN,
  aside: ['web_presence'],
  needed: { identity: SEEN, financials: SEEN, sanctions: ['ok'], media_sentiment: SEEN },
};

type Looked = Pick<LensReport, 'lens' | 'status' | 'findings'>;

/** Folds lenses into one verdict: the worst finding, once enough of them could look. */
export function verdictOf(lenses: readonly Looked[], rule: VerdictRule): VettingVerdict {
  const severities = lenses.flatMap(({ findings }) => findings.map(({ severity }) => severity));
  if (severities.includes('high')) return 'high';
  if (missingFor(lenses, rule).length > 0) return 'insufficient_evidence';
  return severities.includes('medium') ? 'medium' : 'low';
}

/** What a verdict still wants, in words; nothing where it can be given. */
export function missingFor(
  lenses: readonly Pick<Looked, 'lens' | 'status'>[],
  { seenMin, aside, needed }: VerdictRule,
): readonly string[] {
  const counted = lenses.filter(({ lens }) => !aside.includes(lens));
  const seen = counted.filter(({ status }) => SEEN.includes(status)).length;
  const wanting = lenses.filter(({ lens, status }) => needed[lens]?.includes(status) === false);
  return [
    ...wanting.map(({ lens, status }) => `${lens} is ${status}`),
    ...(seen < seenMin ? [`${seen} lenses saw something, ${seenMin} are wanted`] : []),
  ];
}

/** The findings that weigh, lens by lens. */
export function redFlagsOf(lenses: readonly Looked[]): RedFlag[] {
  return lenses.flatMap(({ lens, findings }) =>
    findings
      .filter(({ severity }) => severity === 'high' || severity === 'medium')
      .map((finding) => ({ ...finding, lens })),
  );
}
