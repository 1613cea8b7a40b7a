import { AsiCategory, type CategoryVerdict, type Finding, type ProbeRun } from './records.ts';

const LOOKED = new Set<ProbeRun['outcome']>(['clean', 'found']);
const WEIGHTY = new Set<Finding['severity']>(['medium', 'high', 'critical']);

/**
 * The verdict on each category from the probes that ran, in the order of the categories.
 *
 * `fail`: a confirmed finding of at least medium severity. `not_assessed`: no probe looked.
 * `partial`: lesser findings or mere indicators, or a probe was blocked, ended early or left out a
 * part.
 * `pass`: every probe that applies looked, and saw nothing.
 *
 * @param findings - As they stand after the replays; those of the runs are not read.
 */
export function verdictsOf(
  runs: readonly ProbeRun[],
  findings: readonly Finding[],
): readonly CategoryVerdict[] {
  return AsiCategory.options.map((category) => {
    const own = runs.filter((run) => run.category === category);
    const looked = own.filter(({ outcome }) => LOOKED.has(outcome));
    const skipped = own.filter(({ outcome }) => !LOOKED.has(outcome));
    const seen = findings.filter(
      (finding) => finding.category === category && finding.status !== 'refuted',
    );
    return {
      category,
      verdict: verdictOf({ looked, skipped, seen }),
      probesRun: looked.map(({ probeId }) => probeId),
      probesSkipped: skipped.map(({ probeId, outcome, reason }) => ({
        probeId,
        reason: reason ?? outcome,
      })),
      findingIds: seen.map(({ findingId }) => findingId),
    };
  });
}

interface Ground {
  readonly looked: readonly ProbeRun[];
  readonly skipped: readonly ProbeRun[];
  readonly seen: readonly Finding[];
}

function verdictOf({ looked, skipped, seen }: Ground): CategoryVerdict['verdict'] {
  if (seen.some(({ status, severity }) => status === 'confirmed' && WEIGHTY.has(severity))) {
    return 'fail';
  }
  if (looked.length === 0) return seen.length === 0 ? 'not_assessed' : 'partial';
  // A probe that looked and gives a reason has left something out.
  const isCutShort =
    skipped.some(({ outcome }) => outcome !== 'not_applicable') ||
    looked.some(({ reason }) => reason !== null);
  const isClear = seen.every(({ severity }) => severity === 'info');
  return isClear && !isCutShort ? 'pass' : 'partial';
}
