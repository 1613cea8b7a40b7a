/** Supported forms. A form with `/A` is an amendment. */
export const FORMS = [
  ...['10-K', '10-Q', '8-K', '20-F', '40-F', '6-K', 'DEF 14A', 'NT 10-K', 'NT 10-Q', 'S-1'],
] as [string, ...string[]];

const AMENDMENT_SUFFIX = '/A';

/** A filing as listed by the regulator. */
export interface ListedFiling {
  /** Accession number with ten, two and six digits: `0000320193-23-000106`. */
  readonly accession: string;
  readonly form: string;
  /** `YYYY-MM-DD`. */
  readonly filingDate: string;
  /** End of the reported period; for a current report, the day of the event. */
  readonly reportDate: string | null;
  /** Time at which the regulator accepted it, in milliseconds. */
  readonly acceptedAt: number;
  /** Items of a current report, such as `2.02`. */
  readonly items: readonly string[];
  /** File name of the primary document in the filing's folder. */
  readonly primaryDocument: string | null;
}

/** The filer of a filing. */
export interface Filer {
  /** Ten digits. */
  readonly cik: string;
  readonly name: string;
  readonly tickers: readonly string[];
  readonly exchanges: readonly string[];
  readonly sic: string | null;
  readonly sicDescription: string | null;
  /** Month and day, such as `0930`. */
  readonly fiscalYearEnd: string | null;
  readonly stateOfIncorporation: string | null;
  readonly formerNames: readonly string[];
}

/** Filter for filings. */
export interface FilingFilter {
  readonly forms: readonly string[];
  /** Whether amendments are included. */
  readonly amendments: boolean;
  /** `YYYY-MM-DD`: earliest filing date. */
  readonly since?: string | undefined;
  readonly limit: number;
}

/** Selects filings, newest first. */
export function selectFilings(
  filings: readonly ListedFiling[],
  { forms, amendments, since = '', limit }: FilingFilter,
): readonly ListedFiling[] {
  return filings
    .filter(({ form, filingDate }) => {
      const isWanted = forms.includes(baseForm(form)) && (amendments || !isAmendment(form));
      return isWanted && filingDate >= since;
    })
    .sort((one, other) => other.acceptedAt - one.acceptedAt)
    .slice(0, limit);
}

/** Returns a form without its amendment suffix. */
export function baseForm(form: string): string {
  return isAmendment(form) ? form.slice(0, -AMENDMENT_SUFFIX.length) : form;
}

/** Returns whether a form is an amendment. */
export function isAmendment(form: string): boolean {
  return form.endsWith(AMENDMENT_SUFFIX);
}

/** Returns the folder of a filing: the filer number without leading zeros, and no dashes. */
export function filingFolder(cik: string, accession: string): string {
  return `/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}`;
}

/** Normalizes a ticker to the regulator's form, with dashes before share classes. */
export function normalizeTicker(ticker: string): string {
  return ticker.toUpperCase().replace(/[./]/g, '-');
}
