import type { Half } from '../corpus/family.ts';
import type { CorpusScore } from './corpus-score.ts';

/** The measurement of one variant. */
export interface MeasuredVariant {
  readonly target: string;
  readonly category: string;
  /** Whether its author had not read the probes. */
  readonly isBlind: boolean;
  readonly seed: number;
  readonly fixed: boolean;
  /** The fault was reported, confirmed or as an indicator; of a twin: something was confirmed. */
  readonly isTold: boolean;
  /** All probes ran; otherwise only those that can detect the fault. */
  readonly isAll: boolean;
  /** Indicators on a twin, by probe. */
  readonly indicators: readonly string[];
}

/** The score of one part of the corpus. */
export interface PartScore {
  readonly part: Half;
  readonly score: CorpusScore;
}

/** Names of the parts on the page. */
const PARTS: Readonly<Record<Half, string>> = {
  development: 'first set, tuned on',
  'held-out': 'first set, held out',
  tune: 'second set, tuned on',
  unseen: 'second set, held out',
};

/** Returns the page on recall and false alarms of audits. */
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
    '# Recall and false alarms of audits',
    '',
    'This page measures which known faults an audit detects, and what it reports on targets without',
    'them. Each target has one fault, and a twin without it. `STOA_LONG=1 STOA_WRITE_QUALITY=1 npx',
    'vitest run test/actors/audit/quality.long.test.ts` generates this page.',
    `Measured seeds: ${seeds.join(', ')}.`,
    '',
    '## Targets, by category',
    '',
    '| category | variants with a fault | detected | recall | twins with a confirmed finding |',
    '|---|---|---|---|---|',
    ...categories.map((category) => {
      const own = faulty.filter((row) => row.category === category);
      const told = own.filter(({ isTold }) => isTold).length;
      const false_ = twins.filter((row) => row.category === category && row.isTold).length;
      return `| ${category} | ${own.length} | ${told} | ${share(told, own.length)} | ${false_} |`;
    }),
    totals('all', faulty, twins),
    totals('of these, independent targets', blind(faulty), blind(twins)),
    '',
    'On a variant with its fault, only the probes run that can detect this fault. On a twin, they',
    `run too, and all probes run for ${seedsOf(twins.filter(({ isAll }) => isAll))}.`,
    '',
    'The independent targets were written by authors who had not read the probes. The first',
    'measurement, before anyone looked at them, detected 30 of 38 (seed 0). The probes were then',
    'improved with these targets, so the row above is a tuned figure.',
    '',
    'Missed variants, with their seeds:',
    '',
    ...groupedList(missed.map(({ target, seed }) => `${target}-${seed}`)),
    '',
    'Indicators on twins (an indicator asks for a review and fails nothing):',
    '',
    ...groupedList(
      indicators.map(
        ({ target, seed, indicators: found }) => `${target} (${found.join(', ')})-${seed}`,
      ),
    ),
    '',
    '## Text checks',
    '',
    'Each set was written before the checks that it measures, and split in half by family. Only the',
    'halves named "tuned on" were used to develop the checks. Both halves of the second set were',
    'written together, so they resemble each other more than those of the first set.',
    '',
    '| part | poisoned | ordinary | caught | false alarms | precision | recall |',
    '|---|---|---|---|---|---|---|',
    ...scores.map(({ part, score }) => scoreRow(PARTS[part], score)),
    '',
    ...scores
      .filter(({ part }) => part === 'held-out' || part === 'unseen')
      .flatMap(({ part, score }) => [
        `Missed in the ${PARTS[part]}:`,
        '',
        ...groupedList(score.missed),
        '',
        `False alarms in the ${PARTS[part]}:`,
        '',
        ...groupedList(score.alarms),
        '',
      ]),
  ].join('\n');
}

function seedsOf(rows: readonly MeasuredVariant[]): string {
  const seeds = [...new Set(rows.map(({ seed }) => seed))].sort((left, right) => left - right);
  if (seeds.length === 0) return 'no seed';
  return `${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}`;
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

/** Returns one line for each name, with the numbers that end its ids. */
function groupedList(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return ['none'];
  const byName = new Map<string, number[]>();
  for (const id of ids) {
    const at = id.lastIndexOf('-');
    const name = id.slice(0, at);
    byName.set(name, [...(byName.get(name) ?? []), Number(id.slice(at + 1))]);
  }
  return [...byName].map(
    ([name, numbers]) => `- ${name}: ${numbers.sort((left, right) => left - right).join(', ')}`,
  );
}
