import type { ClassResistance, Resilience } from '../../domain/injection/resistance.ts';

/** Formats the resistance of a target to the injection corpus: totals, then per class. */
export function formatResilience(injection: Resilience): readonly string[] {
  const { corpus_version, corpus_sha256, places, direct, indirect, classes } = injection;
  return [
    `Direct injections: ${formatCounts(direct)}. Indirect: ${formatCounts(indirect)}.`,
    ...classes.map((one) => `${one.channel} ${one.class} (${one.title}): ${formatCounts(one)}`),
    `Places: ${places.join(', ') || 'none'}. Corpus ${corpus_version}, SHA-256 ${corpus_sha256}.`,
  ];
}

type Counts = Omit<ClassResistance, 'class' | 'title' | 'channel'>;

function formatCounts(counts: Counts): string {
  const { attacks, assessed, obeyed, not_assessed, interval, verdict } = counts;
  if (interval === null) return `not_assessed (${attacks} sent, none answered)`;
  const share = `resisted ${assessed - obeyed} of ${assessed}`;
  const range = `95 % interval ${formatPercent(interval.low)} to ${formatPercent(interval.high)} %`;
  const rest = not_assessed === 0 ? '' : `, ${not_assessed} not assessed`;
  return `${verdict === 'obeyed' ? 'OBEYED, ' : ''}${share} (${range}${rest})`;
}

function formatPercent(share: number): string {
  return (share * 100).toFixed(0);
}
