import { DAY_MS, toIsoTime } from '../../domain/common/time.ts';
import type { ReadLimits } from '../../domain/filing/filings.ts';
import type { FilingFilter } from '../../domain/filing/forms.ts';
import type { LensResult } from '../../domain/vetting/lens.ts';
import type { FilingOrder } from '../filing/read-filings.ts';
import { emptyResult, type VettingPorts, type VettingSubject } from './lenses.ts';

/** Maximum age of relevant filings, in days. */
const FILING_AGE_MAX_DAYS = 730;

/** A filer with readable filings, and the relevant period. */
export interface KnownFiler {
  /** Ten digits. */
  readonly cik: string;
  /** Dates in the form `YYYY-MM-DD`. */
  readonly since: string;
  readonly until: string;
}

/**
 * Finds the filer by the subject's ticker.
 *
 * @returns The filer, or the result of a lens that has none.
 */
export async function findFiler(
  { ticker }: VettingSubject,
  { filings, clock }: Pick<VettingPorts, 'filings' | 'clock'>,
  limits: ReadLimits,
): Promise<KnownFiler | LensResult> {
  const [variable] = filings.missing;
  if (variable !== undefined) {
    return emptyResult('not_configured', `The operator has not set ${variable}.`);
  }
  if (ticker === undefined) {
    return emptyResult('no_data', 'No ticker was given, so no filings can be checked.');
  }
  const named = await filings.findCik(ticker, limits);
  if (!named.ok) return emptyResult('failed', named.fault.detail, { faults: [named.fault] });
  const dayOf = (at: number) => toIsoTime(at).slice(0, 10);
  const now = clock.now();
  return { cik: named.value, since: dayOf(now - FILING_AGE_MAX_DAYS * DAY_MS), until: dayOf(now) };
}

/** Creates the order of a filing list, with financial facts if wanted. */
export function createListOrder(cik: string, choice: FilingFilter, hasFacts = false): FilingOrder {
  return { cik, choice, hasFacts, hasDocuments: false, hasSections: false };
}
