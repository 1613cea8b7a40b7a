import { DAY_MS } from '../../domain/common/time.ts';
import { LIKELY_SCORE, matchNames } from '../../domain/company/match.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { Mention, ReadLimits } from '../../domain/filing/filings.ts';
import { factMaxAgeMs } from '../../domain/filing/period-facts.ts';
import { createFinding, type LensResult } from '../../domain/vetting/lens.ts';
import { computeRatios, type Ratio } from '../../domain/vetting/ratios.ts';
import { type FilingsRead, readFilings } from '../filing/read-filings.ts';
import { CitedSources } from './cited-sources.ts';
import { createListOrder, findFiler, type KnownFiler } from './filer.ts';
import type { Lens, VettingPorts } from './lenses.ts';

/** Standard phrase of an auditor's going-concern doubt. */
export const GOING_CONCERN_PHRASE =
  'substantial doubt about its ability to continue as a going concern';

/**
 * Reports financial health from filings: ratios of the latest annual report, late-filing notices,
 * and going-concern doubts. Only SEC filers are covered.
 */
export const finances: Lens = async (subject, ports, limits) => {
  const filer = await findFiler(subject, ports, limits);
  if (!('cik' in filer)) return filer;
  return createResult(await readAll(ports, filer, limits), subject.name);
};

interface FilingReads {
  readonly since: string;
  readonly yearly: Awaited<ReturnType<typeof readFilings>>;
  readonly late: Awaited<ReturnType<typeof readFilings>>;
  readonly doubt: SourceReading<{ readonly total: number; readonly found: readonly Mention[] }>;
}

const YEARLY = { forms: ['10-K', '20-F', '40-F'], amendments: false, limit: 1 };
const LATE = { forms: ['NT 10-K', 'NT 10-Q'], amendments: false, limit: 20 };

async function readAll(
  { filings }: VettingPorts,
  { cik, since, until }: KnownFiler,
  limits: ReadLimits,
): Promise<FilingReads> {
  const [yearly, late, doubt] = await Promise.all([
    readFilings(filings, createListOrder(cik, YEARLY, true), limits),
    readFilings(filings, createListOrder(cik, { ...LATE, since }), limits),
    filings.searchMentions(
      { phrase: GOING_CONCERN_PHRASE, cik, forms: ['10-K', '10-Q'], since, until },
      limits,
    ),
  ]);
  return { since, yearly, late, doubt };
}

function createResult({ since, yearly, late, doubt }: FilingReads, name: string): LensResult {
  const cited = new CitedSources();
  const figures = 'filer' in yearly ? createRatioFigures(yearly, cited) : [];
  const findings = [
    ...('filer' in yearly ? nameFindings(yearly, name, cited) : []),
    ...figures.flatMap(ratioFindings),
    ...('filer' in late ? lateFindings(late, cited) : []),
    ...(doubt.ok ? doubtFindings(doubt, cited) : []),
  ];
  const faults: readonly DataFailure[] = [
    ...yearly.faults,
    ...late.faults,
    ...(doubt.ok ? [] : [doubt.fault]),
  ];
  const isWhole = faults.length === 0 && figures.length > 0;
  return {
    status: cited.list.length === 0 ? 'failed' : isWhole ? 'ok' : 'partial',
    note: figures.length > 0 ? null : 'No annual report contains the values for a ratio.',
    findings,
    figures: [...figures],
    sources: cited.list,
    faults: [...faults],
    searched: [
      ...('filer' in yearly ? [`latest annual report of ${yearly.filer.name}`] : []),
      ...('filer' in late ? [`late-filing notices since ${since}`] : []),
      ...(doubt.ok ? [`going-concern doubts in annual and quarterly reports since ${since}`] : []),
    ],
  };
}

/** A wrong ticker would report another company's values. */
function nameFindings(
  { filer, filerSource }: FilingsRead,
  name: string,
  cited: CitedSources,
): LensResult['findings'] {
  const place = cited.indexOf(filerSource);
  const scores = [filer.name, ...filer.formerNames].map((one) => matchNames(name, one).score);
  if (Math.max(...scores) >= LIKELY_SCORE) return [];
  const claim = `The filer with this ticker is ${filer.name}, not ${name}.`;
  return [createFinding('name_differs', 'medium', claim, place)];
}

function createRatioFigures({ filings }: FilingsRead, cited: CitedSources): LensResult['figures'] {
  const [latest] = filings;
  if (latest?.facts === null || latest?.facts === undefined) return [];
  const { picked, source } = latest.facts;
  const place = cited.indexOf(source);
  return computeRatios(picked.facts).map(({ name, value, end, formula }) => ({
    name,
    formula,
    value,
    unit: 'ratio',
    cited: [place],
    asOf: Date.parse(end) + DAY_MS,
    maxAgeMs: factMaxAgeMs(latest.filing.form),
  }));
}

/** Thresholds of Altman's Z'': distress below 1.1, grey zone up to 2.6. */
function ratioFindings({ name, value, cited }: LensResult['figures'][number]) {
  const [place = 0] = cited;
  const is = Number(value);
  const ratio = name as Ratio['name'];
  if (ratio === 'altman_z' && is < 1.1) {
    return [createFinding('altman_distress', 'high', `Altman Z'' is ${value}, below 1.1.`, place)];
  }
  if (ratio === 'altman_z' && is <= 2.6) {
    const claim = `Altman Z'' is ${value}, from 1.1 to 2.6.`;
    return [createFinding('altman_grey', 'low', claim, place)];
  }
  if (ratio === 'current_ratio' && is < 0.5) {
    return [
      createFinding('illiquid', 'medium', `The current ratio is ${value}, below 0.5.`, place),
    ];
  }
  return [];
}

function lateFindings(
  { filings, filerSource }: FilingsRead,
  cited: CitedSources,
): LensResult['findings'] {
  cited.indexOf(filerSource);
  const [first] = filings;
  if (first === undefined) return [];
  const dates = filings.map(({ filing }) => `${filing.form} ${filing.filingDate}`).join(', ');
  const claim = `Late-filing notices: ${dates}.`;
  return [createFinding('late_filing', 'medium', claim, cited.indexOf(first.listedIn))];
}

/** A phrase only: who wrote it, and whether it is negated, requires a reader. */
function doubtFindings(
  { value, source }: Extract<FilingReads['doubt'], { ok: true }>,
  cited: CitedSources,
): LensResult['findings'] {
  const place = cited.indexOf(source);
  const [first] = value.found;
  if (value.total === 0) return [];
  const latest = first === undefined ? '' : ` The first is ${first.form} of ${first.filed}.`;
  const claim = `${value.total} reports contain the phrase "${GOING_CONCERN_PHRASE}".${latest}`;
  return [createFinding('going_concern_words', 'medium', claim, place)];
}
