import { z } from 'zod';
import type { FilingList, Mention } from '../../domain/filing/filings.ts';
import { filingFolder, type ListedFiling } from '../../domain/filing/forms.ts';

const Accession = z.string().regex(/^\d{10}-\d{2}-\d{6}$/);
const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
/** The regulator uses an empty string for a missing value. */
const OptionalText = z.string().nullish();
/** Only plain file names are used in URLs. */
const DOCUMENT_NAME = /^[\w.-]{1,120}$/;

const Columns = z.object({
  accessionNumber: z.array(Accession),
  filingDate: z.array(Day),
  reportDate: z.array(z.union([Day, z.literal('')])),
  acceptanceDateTime: z.array(z.iso.datetime({ offset: true, local: true })),
  form: z.array(z.string()),
  items: z.array(z.string()),
  primaryDocument: z.array(z.string()),
});
type Columns = z.infer<typeof Columns>;

const Submissions = z.object({
  cik: z.union([z.string().regex(/^\d{1,10}$/), z.int().positive()]),
  name: z.string().min(1),
  tickers: z.array(z.string()).default([]),
  exchanges: z.array(z.string().nullable()).default([]),
  sic: OptionalText,
  sicDescription: OptionalText,
  fiscalYearEnd: OptionalText,
  stateOfIncorporation: OptionalText,
  formerNames: z.array(z.object({ name: z.string() })).default([]),
  filings: z.object({
    recent: Columns,
    files: z.array(z.object({ name: z.string().regex(DOCUMENT_NAME), filingTo: Day })).default([]),
  }),
});

/** Parses the filings of a filer. Returns `undefined` if the body is malformed. */
export function parseFilingList(body: unknown): FilingList | undefined {
  const { data } = Submissions.safeParse(body);
  const recent = data === undefined ? undefined : toFilings(data.filings.recent);
  if (data === undefined || recent === undefined) return undefined;
  const { name, tickers, exchanges, formerNames, filings } = data;
  return {
    filer: {
      cik: String(data.cik).padStart(10, '0'),
      name,
      tickers,
      exchanges: exchanges.filter((one) => one !== null),
      sic: emptyToNull(data.sic),
      sicDescription: emptyToNull(data.sicDescription),
      fiscalYearEnd: emptyToNull(data.fiscalYearEnd),
      stateOfIncorporation: emptyToNull(data.stateOfIncorporation),
      formerNames: formerNames.map((former) => former.name),
    },
    recent,
    older: filings.files
      .map((file) => ({ name: file.name, to: file.filingTo }))
      .sort((one, other) => (one.to < other.to ? 1 : -1)),
  };
}

/** Parses a page of older filings. Returns `undefined` if the body is malformed. */
export function parseOlderFilings(body: unknown): readonly ListedFiling[] | undefined {
  const { data } = Columns.safeParse(body);
  return data === undefined ? undefined : toFilings(data);
}

/** Converts columns to rows. Returns `undefined` if their lengths differ. */
function toFilings(columns: Columns): readonly ListedFiling[] | undefined {
  const { accessionNumber } = columns;
  const isEven = Object.values(columns).every(({ length }) => length === accessionNumber.length);
  if (!isEven) return undefined;
  return accessionNumber.map((accession, row): ListedFiling => {
    const document = columns.primaryDocument[row] ?? '';
    return {
      accession,
      form: columns.form[row] ?? '',
      filingDate: columns.filingDate[row] ?? '',
      reportDate: emptyToNull(columns.reportDate[row]),
      acceptedAt: Date.parse(toUtc(columns.acceptanceDateTime[row] ?? '')),
      items: (columns.items[row] ?? '').split(',').filter((item) => item !== ''),
      primaryDocument: DOCUMENT_NAME.test(document) ? document : null,
    };
  });
}

function toUtc(time: string): string {
  return /Z|[+-]\d{2}:\d{2}$/.test(time) ? time : `${time}Z`;
}

function emptyToNull(text: string | null | undefined): string | null {
  return text === undefined || text === null || text === '' ? null : text;
}

const Search = z.object({
  hits: z.object({
    total: z.object({ value: z.int().nonnegative() }),
    hits: z.array(
      z.object({
        _id: z.string(),
        _source: z.object({
          ciks: z.array(z.string().regex(/^\d{1,10}$/)).min(1),
          display_names: z.array(z.string()),
          adsh: Accession,
          form: z.string(),
          file_date: Day,
        }),
      }),
    ),
  }),
});

/** Most mentions that are returned. */
export const MENTIONS_MAX = 20;

/** Parses an answer of the full-text search. Returns `undefined` if the body is malformed. */
export function parseMentions(
  body: unknown,
): { readonly total: number; readonly found: readonly Mention[] } | undefined {
  const { data } = Search.safeParse(body);
  if (data === undefined) return undefined;
  const found = data.hits.hits.slice(0, MENTIONS_MAX).map(({ _id, _source }): Mention => {
    const file = _id.split(':')[1] ?? '';
    const [cik = ''] = _source.ciks;
    const name = DOCUMENT_NAME.test(file) ? file : '';
    return {
      accession: _source.adsh,
      form: _source.form,
      filed: _source.file_date,
      filer: _source.display_names[0] ?? '',
      url: `https://www.sec.gov${filingFolder(cik, _source.adsh)}/${name}`,
    };
  });
  return { total: data.hits.total.value, found };
}
