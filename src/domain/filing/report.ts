import { z } from 'zod';
import { Instant, Sha256 } from '../data/source.ts';
import { DataValue } from '../data/value.ts';

const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const FactPeriod = z.enum(['instant', 'quarter', 'year_to_date', 'year']);

/** A value as its filing reports it. */
export const ReportedFact = z.object({
  metric: z.string().describe('Metric name, independent of the tag used by the filer.'),
  concept: z.string().describe('Tag of the value. For a sum, the tags joined with +.'),
  period: FactPeriod,
  start: Day.nullable().describe('null for an instant.'),
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
  item: z.string().describe('For example 1A, or 1 and 2 for a shared section.'),
  items: z.array(z.string()),
  part: z
    .enum(['I', 'II', 'III', 'IV'])
    .nullable()
    .describe('Part of the report; both parts of a 10-Q start at item 1. null if not stated.'),
  title: z.string(),
  text: z.string().describe('Untrusted filing text, between unpredictable delimiter lines.'),
  chars: z.int(),
  truncated: z.boolean(),
  text_sha256: Sha256.describe('SHA-256 of the returned text without the delimiter lines.'),
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
      sha256: Sha256.nullable().describe('SHA-256 of the exact bytes; null if not read.'),
      bytes: z.int().nullable(),
      cited: z.string().nullable(),
    })
    .nullable(),
  facts: z.array(ReportedFact).nullable().describe('null if not requested or not read.'),
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
          .describe('Contradicting values of an ambiguous metric.'),
      }),
    )
    .describe('Metrics without an unambiguous value for the filing period.'),
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
