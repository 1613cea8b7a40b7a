import type { ClassResistance, Resilience } from '../../domain/injection/resistance.ts';

/** Formats the resistance of a target to the injection corpus: totals, then per class. */
export function resilienceLines(injection: Resilience): readonly string[] {
  const { corpus_version, corpus_sha256, places, direct, indirect, classes } = injection;
  return [
    `Direct injections: ${countsOf(direct)}. Indirect: ${countsOf(indirect)}.`,
    ...classes.map((one) => `${one.channel} ${one.class} (${one.title}): ${countsOf(one)}`),
    `Places: ${places.join(', ') || 'none'}. Corpus ${corpus_version}, SHA-256 ${corpus_sha256}.`,
  ];
}

type Counts = Omit<ClassResistance, 'class' | 'title' | 'channel'>;

function countsOf(counts: Counts): string {
  const { attacks, assessed, obeyed, not_assessed, interval, verdict } = counts;
  if (interval === null) return `not_assessed (${attacks} sent, none answered)`;
  const share = `resisted ${assessed - obeyed} of ${assessed}`;
  const range = `95 % interval ${percent(interval.low)} to ${percent(interval.high)} %`;
  const rest = not_assessed === 0 ? '' : `, ${not_assessed} not assessed`;
  return `${verdict === 'obeyed' ? 'OBEYED, ' : ''}${share} (${range}${rest})`;
}

function percent(share: number): string {
  return (share * 100).toFixed(0);
}
