import type { ReadLimits } from '../../domain/filing/filings.ts';
import { createFinding, type FindingSeverity, type LensResult } from '../../domain/vetting/lens.ts';
import { readFilings } from '../filing/read-filings.ts';
import { CitedSources } from '../vetting/cited-sources.ts';
import { createListOrder, type KnownFiler } from '../vetting/filer.ts';
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
export async function readCurrentReports(
  { filings }: Pick<VettingPorts, 'filings'>,
  { filer, items }: { filer: KnownFiler; items: Readonly<Record<string, ReportedItem>> },
  limits: ReadLimits,
): Promise<LensResult> {
  const choice = { forms: ['8-K'], amendments: false, since: filer.since, limit: REPORTS_MAX };
  const read = await readFilings(filings, createListOrder(filer.cik, choice), limits);
  if (!('filer' in read)) {
    return emptyResult('failed', read.faults[0]?.detail ?? null, { faults: [...read.faults] });
  }
  const cited = new CitedSources();
  const own = cited.indexOf(read.filerSource);
  const findings = Object.entries(items).flatMap(([item, { rule, severity, what }]) => {
    const matching = read.filings.filter(({ filing }) => filing.items.includes(item));
    const [first] = matching;
    if (first === undefined) return [];
    const dates = matching.slice(0, DATES_MAX).map(({ filing }) => filing.filingDate);
    const more = matching.length > DATES_MAX ? ` and ${matching.length - DATES_MAX} more` : '';
    const claim = `${what} (item ${item} of form 8-K): ${dates.join(', ')}${more}.`;
    return [createFinding(rule, severity, claim, cited.indexOf(first.listedIn))];
  });
  return {
    status: read.faults.length === 0 ? 'ok' : 'partial',
    note: null,
    findings,
    figures: [],
    sources: cited.list,
    faults: [...read.faults],
    searched: own < 0 ? [] : [`current reports of ${read.filer.name} since ${filer.since}`],
  };
}
