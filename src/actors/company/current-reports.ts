import type { ReadLimits } from '../../domain/filing/filings.ts';
import { type FindingSeverity, findingOf, type LensResult } from '../../domain/vetting/lens.ts';
import { readFilings } from '../filing/read-filings.ts';
import { Cited } from '../vetting/cited.ts';
import { type KnownFiler, listOrder } from '../vetting/filer.ts';
import { emptyResult, type VettingPorts } from '../vetting/lenses.ts';

/** The meaning of an item in a current report. */
export interface ReportedItem {
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly what: string;
}

/** Maximum number of current reports that are read. */
const REPORTS_MAX = 200;
/** Maximum number of dates per finding. */
const DATES_MAX = 8;

/** Reports events from a filer's current reports, by item number. */
export async function currentReports(
  { filings }: Pick<VettingPorts, 'filings'>,
  { filer, items }: { filer: KnownFiler; items: Readonly<Record<string, ReportedItem>> },
  limits: ReadLimits,
): Promise<LensResult> {
  const choice = { forms: ['8-K'], amendments: false, since: filer.since, limit: REPORTS_MAX };
  const read = await readFilings(filings, listOrder(filer.cik, choice), limits);
  if (!('filer' in read)) {
    return emptyResult('failed', read.faults[0]?.detail ?? null, { faults: [...read.faults] });
  }
  const cited = new Cited();
  const own = cited.placeOf(read.filerSource);
  const findings = Object.entries(items).flatMap(([item, { rule, severity, what }]) => {
    const told = read.filings.filter(({ filing }) => filing.items.includes(item));
    const [first] = told;
    if (first === undefined) return [];
    const dates = told.slice(0, DATES_MAX).map(({ filing }) => filing.filingDate);
    const more = told.length > DATES_MAX ? ` and ${told.length - DATES_MAX} more` : '';
    const claim = `${what} (item ${item} of form 8-K): ${dates.join(', ')}${more}.`;
    return [findingOf(rule, severity, claim, cited.placeOf(first.listedIn))];
  });
  return {
    status: read.faults.length === 0 ? 'ok' : 'partial',
    ...{ note: null, findings, figures: [], sources: cited.list, faults: [...read.faults] },
    searched: own < 0 ? [] : [`current reports of ${read.filer.name} since ${filer.since}`],
  };
}
