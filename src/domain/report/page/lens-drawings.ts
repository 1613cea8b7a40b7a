import { drawBoard, type StatusRow } from '../../drawing/status-board.ts';
import type { Drawing, Tone } from '../../drawing/svg.ts';
import type { FindingSeverity, LensReport, LensStatus } from '../../vetting/lens.ts';
import { summarizeSources } from './render-value.ts';

/** Draws the overview of lenses: status and findings of each. */
export function drawLenses(lenses: readonly LensReport[]): readonly Drawing[] {
  if (lenses.length === 0) return [];
  const cited = lenses.flatMap(({ findings }) => findings.flatMap((one) => one.cited));
  const ground = summarizeSources(
    lenses.flatMap(({ figures }) => figures.map((one) => one.figure)),
  );
  return [
    {
      title: 'Lenses',
      note: 'Status of each lens, and one square per finding, most severe first.',
      svg: drawBoard('Lenses with their status and findings', lenses.map(toBoardRow)),
      sources: [...new Set([...ground.sources, ...cited])],
      asOf: ground.asOf,
    },
  ];
}

const STATUS_TONES: Readonly<Record<LensStatus, Tone>> = {
  ok: 'good',
  partial: 'warn',
  no_data: 'flat',
  not_configured: 'flat',
  not_covered: 'flat',
  failed: 'bad',
};
/** Matches times in notes. Charts show only their date. */
const TIMES = /\b(\d{4}-\d\d-\d\d)T[\d:.]+Z/g;
const SEVERITIES: readonly (readonly [FindingSeverity, Tone])[] = [
  ['high', 'bad'],
  ['medium', 'warn'],
  ['low', 'main'],
  ['info', 'flat'],
];

function toBoardRow({ lens, status, note, findings }: LensReport): StatusRow {
  return {
    label: lens.replaceAll('_', ' '),
    status: status.replaceAll('_', ' '),
    tone: STATUS_TONES[status],
    counts: SEVERITIES.map(([severity, tone]) => ({
      word: severity,
      tone,
      count: findings.filter((one) => one.severity === severity).length,
    })),
    none: (note ?? 'nothing found').replace(TIMES, '$1'),
  };
}
