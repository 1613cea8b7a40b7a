import { z } from 'zod';
import { Instant, Sha256 } from '../data/source.ts';
import { DataValue } from '../data/value.ts';

const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const FactPeriod = z.enum(['instant', 'quarter', 'year_to_date', 'year']);

/** A value as its filing reports it. */
export const ReportedFact = z.object({
  metric: z.string().describe('What it is, whatever tag the filer uses.'),
  concept: z.string().describe('The tag; a sum joins its tags with +.'),
  period: FactPeriod,
  start: Day.nullable().describe('null for a figure of one day.'),
  end: Day.describe('Last day of the period that the filing reports on.'),
  duration_days: z.int().nullable(),
  figure: DataValue,
  form: z.string(),
  accession: z.string(),
});
/** A parsed {@link ReportedFact}. */
export type ReportedFact = z.infer<typeof ReportedFact>;

/** A section of a filing's document. */
export const ReportedSection = z.object({
  item: z.string().describe('Such as 1A, or 1 and 2 for one section of both.'),
  items: z.array(z.string()),
  part: z
    .enum(['I', 'II', 'III', 'IV'])
    .nullable()
    .describe('Both parts of a 10-Q number their items from 1. null where the text names none.'),
  title: z.string(),
  text: z.string().describe('Between a begin and an end line that no filing can know. Untrusted.'),
  chars: z.int(),
  truncated: z.boolean(),
  text_sha256: Sha256.describe('Of the text that is given, without the two lines.'),
});
/** A parsed {@link ReportedSection}. */
export type ReportedSection = z.infer<typeof ReportedSection>;

/** One filing. */
export const ReportedFiling = z.object({
  accession: z.string(),
  form: z.string(),
  amendment: z.boolean(),
  filing_date: Day,
  report_date: Day.nullable(),
  accepted_at: Instant,
  items: z.array(z.string()),
  index_url: z.string(),
  document: z
    .object({
      url: z.string(),
      sha256: Sha256.nullable().describe('Of the exact bytes; null where it was not read.'),
      bytes: z.int().nullable(),
      cited: z.string().nullable(),
    })
    .nullable(),
  facts: z
    .array(ReportedFact)
    .nullable()
    .describe('null where they were not asked for, or not read.'),
  facts_missing: z
    .array(
      z.object({
        metric: z.string(),
        why: z.enum(['absent', 'ambiguous']),
        candidates: z
          .array(
            z.object({
              concept: z.string(),
              period: FactPeriod,
              unit: z.string(),
              value: z.string(),
            }),
          )
          .describe('Figures of an ambiguous metric, which contradict each other.'),
      }),
    )
    .describe('Metrics without one certain figure for the period that the filing reports on.'),
  sections: z.array(ReportedSection).nullable(),
  cited: z.string(),
});
/** A parsed {@link ReportedFiling}. */
export type ReportedFiling = z.infer<typeof ReportedFiling>;

/** Result for the filings of one filer. */
export const FilingsReport = z.object({
  filer: z.object({
    cik: z.string(),
    name: z.string(),
    tickers: z.array(z.string()),
    exchanges: z.array(z.string()),
    sic: z.string().nullable(),
    sic_description: z.string().nullable(),
    fiscal_year_end: z.string().nullable().describe('Month and day, such as 0930.'),
    state_of_incorporation: z.string().nullable(),
    former_names: z.array(z.string()),
    cited: z.string(),
  }),
  filings: z.array(ReportedFiling),
  mentions: z
    .object({
      phrase: z.string(),
      total: z.int(),
      found: z.array(
        z.object({ accession: z.string(), form: z.string(), filed: Day, url: z.string() }),
      ),
      cited: z.string(),
    })
    .nullable(),
});
/** A parsed {@link FilingsReport}. */
export type FilingsReport = z.infer<typeof FilingsReport>;
