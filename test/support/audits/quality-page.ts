import type { Half } from '../corpus/family.ts';
import type { CorpusScore } from './corpus-score.ts';

/** What the measure of one variant gave. */
export interface MeasuredVariant {
  readonly target: string;
  readonly category: string;
  /** Written by somebody who had not read the probes. */
  readonly isBlind: boolean;
  readonly seed: number;
  readonly fixed: boolean;
  /** The fault was told, confirmed or as an indicator; of a twin: something was confirmed. */
  readonly isTold: boolean;
  /** Asked by all probes; otherwise by those which can tell the fault. */
  readonly isAll: boolean;
  /** Indicators on a twin, by probe. */
  readonly indicators: readonly string[];
}

/** The score of one part of the corpus. */
export interface PartScore {
  readonly part: Half;
  readonly score: CorpusScore;
}

/** What the parts of the corpus are. */
const PARTS: Readonly<Record<Half, string>> = {
  development: 'first set, tuned on',
  'held-out': 'first set, held out',
  tune: 'second set, tuned on',
  unseen: 'second set, held out',
};

/** Writes the page on how well audits find what is there. */
export function qualityPage(
  rows: readonly MeasuredVariant[],
  scores: readonly PartScore[],
): string {
  const faulty = rows.filter(({ fixed }) => !fixed);
  const twins = rows.filter(({ fixed }) => fixed);
  const categories = [...new Set(rows.map(({ category }) => category))].sort();
  const seeds = [...new Set(rows.map(({ seed }) => seed))].sort((left, right) => left - right);
  const missed = faulty.filter(({ isTold }) => !isTold);
  const indicators = twins.filter((row) => row.indicators.length > 0);
  return [
    '# How well audits find what is there',
    '',
    'Written by `STOA_LONG=1 STOA_WRITE_QUALITY=1 npx vitest run',
    'test/actors/audit/quality.long.test.ts`. Each target has one fault and a twin without it.',
    `Measured variants: seeds ${seeds.join(', ')}.`,
    '',
    '## Targets, by category',
    '',
    '| category | variants with a fault | told | recall | twins with a confirmed finding |',
    '|---|---|---|---|---|',
    ...categories.map((category) => {
      const own = faulty.filter((row) => row.category === category);
      const told = own.filter(({ isTold }) => isTold).length;
      const false_ = twins.filter((row) => row.category === category && row.isTold).length;
      return `| ${category} | ${own.length} | ${told} | ${share(told, own.length)} | ${false_} |`;
    }),
    totals('all', faulty, twins),
    totals('of these, targets by others', blind(faulty), blind(twins)),
    '',
    'A variant with its fault is asked by the probes that can tell it, a twin by all of them for',
    `${seedsOf(twins.filter(({ isAll }) => isAll))}; for the other seeds by those of its own fault.`,
    '',
    'The targets by others were measured first without having been looked at (seed 0: 30 of 38),',
    'then the probes were made better with them in view: their row above is a tuned figure.',
    '',
    'Missed variants, with their seed:',
    missed.length === 0
      ? 'none.'
      : `${missed.map(({ target, seed }) => `${target} ${seed}`).join(', ')}.`,
    '',
    'Indicators on twins (they say "look here" and fail nothing):',
    indicators.length === 0
      ? 'none.'
      : `${indicators.map(({ target, seed, indicators: told }) => `${target} ${seed} (${told.join(', ')})`).join(', ')}.`,
    '',
    '## Text checks',
    '',
    'Each set was written before the checks that it judges, and halved by family. Only the halves',
    'that say so were looked at while the checks were made. Both halves of the second set were',
    'written together: its held-out half resembles the other more than that of the first set.',
    '',
    '| part | poisoned | ordinary | caught | false alarms | precision | recall |',
    '|---|---|---|---|---|---|---|',
    ...scores.map(({ part, score }) => scoreRow(PARTS[part], score)),
    '',
    ...scores
      .filter(({ part }) => part === 'held-out' || part === 'unseen')
      .flatMap(({ part, score }) => [
        `Missed of the ${PARTS[part]}: ${list(score.missed)}`,
        '',
        `False alarms of the ${PARTS[part]}: ${list(score.alarms)}`,
        '',
      ]),
  ].join('\n');
}

function seedsOf(rows: readonly MeasuredVariant[]): string {
  const seeds = [...new Set(rows.map(({ seed }) => seed))].sort((left, right) => left - right);
  return seeds.length === 0 ? 'no seed' : `seeds ${seeds.join(', ')}`;
}

function totals(
  name: string,
  faulty: readonly MeasuredVariant[],
  twins: readonly MeasuredVariant[],
): string {
  const told = faulty.filter(({ isTold }) => isTold).length;
  const wrong = twins.filter(({ isTold }) => isTold).length;
  return `| ${name} | ${faulty.length} | ${told} | ${share(told, faulty.length)} | ${wrong} |`;
}

function blind(rows: readonly MeasuredVariant[]): readonly MeasuredVariant[] {
  return rows.filter(({ isBlind }) => isBlind);
}

function scoreRow(name: string, score: CorpusScore): string {
  const { poisoned, ordinary, caught, falseAlarms, precision, recall } = score;
  const figures = [
    poisoned,
    ordinary,
    caught,
    falseAlarms,
    precision.toFixed(3),
    recall.toFixed(3),
  ];
  return `| ${name} | ${figures.join(' | ')} |`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : (part / whole).toFixed(2);
}

function list(ids: readonly string[]): string {
  return ids.length === 0 ? 'none.' : `${ids.join(', ')}.`;
}
