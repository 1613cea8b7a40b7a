import type { ReadLimits } from '../../domain/filing/filings.ts';
import { createFinding, type FindingSeverity, type LensResult } from '../../domain/vetting/lens.ts';
import { CitedSources } from '../vetting/cited-sources.ts';
import { findFiler, type KnownFiler } from '../vetting/filer.ts';
import { emptyResult, type Lens, type VettingPorts } from '../vetting/lenses.ts';

/** Phrases that indicate disputes in a company's own filings, with their severity. */
export const DISPUTE_WORDS: Readonly<Record<string, FindingSeverity>> = {
  'putative class action': 'low',
  'Wells Notice': 'medium',
  'grand jury subpoena': 'medium',
  'deferred prosecution agreement': 'medium',
};
const FORMS = ['10-K', '10-Q', '8-K'];
const COURTS =
  'Courts are not searched, because access to their records requires a contract or a fee.';

/**
 * Reports disputes that the company discloses in its filings. Always partial, because court
 * registers are not read.
 */
export const litigation: Lens = async (subject, ports, limits) => {
  if (subject.ticker === undefined) {
    return emptyResult('not_covered', `${COURTS} No ticker was given, so no filing was searched.`);
  }
  const filer = await findFiler(subject, ports, limits);
  if (!('cik' in filer)) return filer;
  return searchDisputes(ports, filer, limits);
};

async function searchDisputes(
  { filings }: VettingPorts,
  { cik, since, until }: KnownFiler,
  limits: ReadLimits,
): Promise<LensResult> {
  const searches = await Promise.all(
    Object.entries(DISPUTE_WORDS).map(async ([phrase, severity]) => {
      const order = { phrase, cik, forms: FORMS, since, until };
      return { phrase, severity, reading: await filings.searchMentions(order, limits) };
    }),
  );
  const cited = new CitedSources();
  const findings = searches.flatMap(({ phrase, severity, reading }) => {
    if (!reading.ok) return [];
    const place = cited.indexOf(reading.source);
    const { total, found } = reading.value;
    const [first] = found;
    if (total === 0) return [];
    const latest = first === undefined ? '' : ` The first is ${first.form} of ${first.filed}.`;
    const claim = `${total} of its filings contain the phrase "${phrase}".${latest}`;
    return [createFinding('dispute_words', severity, claim, place)];
  });
  const read = searches.filter(({ reading }) => reading.ok).map(({ phrase }) => phrase);
  return {
    status: read.length === 0 ? 'failed' : 'partial',
    note: `${COURTS} Phrases alone do not show the state of a dispute.`,
    findings,
    figures: [],
    sources: cited.list,
    searched: read.map((phrase) => `"${phrase}" in filings from ${since} to ${until}`),
    faults: searches.flatMap(({ reading }) => (reading.ok ? [] : [reading.fault])),
  };
}
