import { AsiCategory, type CategoryVerdict, type Finding, type ProbeRun } from './records.ts';

const EXAMINED_OUTCOMES = new Set<ProbeRun['outcome']>(['clean', 'found', 'partial']);
const FAILING_SEVERITIES = new Set<Finding['severity']>(['medium', 'high', 'critical']);

/**
 * Computes the verdict for each category, in the order of the categories.
 *
 * `fail`: a confirmed finding of at least medium severity. `not_assessed`: no probe examined it.
 * `pass`: every applicable probe examined everything and nothing was found, confirmed or not.
 * `partial`: everything else, such as a probe that skipped a part.
 *
 * @param findings - Findings after the replays; findings of the runs are ignored.
 */
export function computeVerdicts(
  runs: readonly ProbeRun[],
  findings: readonly Finding[],
): readonly CategoryVerdict[] {
  return AsiCategory.options.map((category) => {
    const categoryRuns = runs.filter((run) => run.category === category);
    const examined = categoryRuns.filter(({ outcome }) => EXAMINED_OUTCOMES.has(outcome));
    const unexamined = categoryRuns.filter(
      ({ outcome }) => outcome !== 'clean' && outcome !== 'found',
    );
    const categoryFindings = findings.filter((finding) => finding.category === category);
    return {
      category,
      verdict: computeVerdict(categoryRuns, categoryFindings),
      probesRun: examined.map(({ probeId }) => probeId),
      probesSkipped: unexamined.map(({ probeId, outcome, reason }) => ({
        probeId,
        reason: reason ?? outcome,
      })),
      findingIds: categoryFindings
        .filter(({ status }) => status !== 'refuted')
        .map(({ findingId }) => findingId),
    };
  });
}

function computeVerdict(
  runs: readonly ProbeRun[],
  seen: readonly Finding[],
): CategoryVerdict['verdict'] {
  if (
    seen.some(({ status, severity }) => status === 'confirmed' && FAILING_SEVERITIES.has(severity))
  ) {
    return 'fail';
  }
  if (seen.length === 0 && !runs.some(({ outcome }) => EXAMINED_OUTCOMES.has(outcome)))
    return 'not_assessed';
  const isWhole = runs.every(
    ({ outcome, reason }) =>
      outcome === 'not_applicable' || (outcome === 'clean' && reason === null),
  );
  return isWhole && seen.length === 0 ? 'pass' : 'partial';
}
