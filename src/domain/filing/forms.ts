/** Forms that can be asked for. A form with `/A` is an amendment of it. */
export const FORMS = [
  ...['10-K', '10-Q', '8-K', '20-F', '40-F', '6-K', 'DEF 14A', 'NT 10-K', 'NT 10-Q', 'S-1'],
] as [string, ...string[]];

const AMENDED = '/A';

/** A filing as the regulator lists it. */
export interface ListedFiling {
  /** Ten, two and six digits: `0000320193-23-000106`. */
  readonly accession: string;
  readonly form: string;
  /** `YYYY-MM-DD`. */
  readonly filingDate: string;
  /** End of the period that it reports on; for a current report the day of the event. */
  readonly reportDate: string | null;
  /** Milliseconds at which the regulator took it in. */
  readonly acceptedAt: number;
  /** Items of a current report, such as `2.02`. */
  readonly items: readonly string[];
  /** Name of the primary document in the folder of the filing. */
  readonly primaryDocument: string | null;
}

/** Who files. */
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

/** Which filings are wanted. */
export interface FilingChoice {
  readonly forms: readonly string[];
  /** Whether amendments count as well. */
  readonly amendments: boolean;
  /** `YYYY-MM-DD`: filed then or later. */
  readonly since?: string | undefined;
  readonly limit: number;
}

/** Picks filings, the newest first. */
export function pickFilings(
  filings: readonly ListedFiling[],
  { forms, amendments, since = '', limit }: FilingChoice,
): readonly ListedFiling[] {
  return filings
    .filter(({ form, filingDate }) => {
      const isWanted = forms.includes(baseForm(form)) && (amendments || !isAmendment(form));
      return isWanted && filingDate >= since;
    })
    .sort((one, other) => other.acceptedAt - one.acceptedAt)
    .slice(0, limit);
}

/** A form without the mark of an amendment. */
export function baseForm(form: string): string {
  return isAmendment(form) ? form.slice(0, -AMENDED.length) : form;
}

/** Tells whether a filing amends an earlier one. */
export function isAmendment(form: string): boolean {
  return form.endsWith(AMENDED);
}

/** The folder of a filing: the number of the filer without zeros in front, and no dashes. */
export function folderOf(cik: string, accession: string): string {
  return `/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}`;
}

/** A ticker as the regulator writes it: classes of shares with a dash. */
export function plainTicker(ticker: string): string {
  return ticker.toUpperCase().replace(/[./]/g, '-');
}
