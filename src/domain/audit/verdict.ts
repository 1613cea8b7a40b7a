import { AsiCategory, type CategoryVerdict, type Finding, type ProbeRun } from './records.ts';

const LOOKED = new Set<ProbeRun['outcome']>(['clean', 'found', 'partial']);
const WEIGHTY = new Set<Finding['severity']>(['medium', 'high', 'critical']);

/**
 * Computes the verdict for each category, in the order of the categories.
 *
 * `fail`: a confirmed finding of at least medium severity. `not_assessed`: no probe examined it.
 * `pass`: every applicable probe examined everything and nothing was found, confirmed or not.
 * `partial`: everything else, such as a probe that skipped a part.
 *
 * @param findings - Findings after the replays; findings of the runs are ignored.
 */
export function verdictsOf(
  runs: readonly ProbeRun[],
  findings: readonly Finding[],
): readonly CategoryVerdict[] {
  return AsiCategory.options.map((category) => {
    const own = runs.filter((run) => run.category === category);
    const looked = own.filter(({ outcome }) => LOOKED.has(outcome));
    const unlooked = own.filter(({ outcome }) => outcome !== 'clean' && outcome !== 'found');
    const seen = findings.filter((finding) => finding.category === category);
    return {
      category,
      verdict: verdictOf(own, seen),
      probesRun: looked.map(({ probeId }) => probeId),
      probesSkipped: unlooked.map(({ probeId, outcome, reason }) => ({
        probeId,
        reason: reason ?? outcome,
      })),
      findingIds: seen
        .filter(({ status }) => status !== 'refuted')
        .map(({ findingId }) => findingId),
    };
  });
}

function verdictOf(
  runs: readonly ProbeRun[],
  seen: readonly Finding[],
): CategoryVerdict['verdict'] {
  if (seen.some(({ status, severity }) => status === 'confirmed' && WEIGHTY.has(severity))) {
    return 'fail';
  }
  if (seen.length === 0 && !runs.some(({ outcome }) => LOOKED.has(outcome))) return 'not_assessed';
  const isWhole = runs.every(
    ({ outcome, reason }) =>
      outcome === 'not_applicable' || (outcome === 'clean' && reason === null),
  );
  return isWhole && seen.length === 0 ? 'pass' : 'partial';
}
