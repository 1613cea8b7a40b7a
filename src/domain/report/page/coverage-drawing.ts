import type { Coverage } from '../../data/envelope.ts';
import { box, type Drawing, drawn, LINE, WIDTH, words } from '../../drawing/svg.ts';

const THICK = 14;

/** Draws the share of requested sources that responded. */
export function coverageDrawing({ asked, answered, missing }: Coverage): readonly Drawing[] {
  if (asked === 0) return [];
  const wide = (WIDTH * answered) / asked;
  const top = LINE + 4;
  const shapes = [
    words({ x: 0, y: LINE - 3 }, `${answered} of ${asked} answered`),
    words({ x: WIDTH, y: LINE - 3, anchor: 'end', tone: 'muted' }, `${missing.length} missing`),
    box({ x: 0, y: top, width: WIDTH, height: THICK }, missing.length > 0 ? 'warn' : 'rail'),
    ...(answered === 0 ? [] : [box({ x: 0, y: top, width: wide, height: THICK }, 'good')]),
  ];
  const names = missing.length === 0 ? 'Nothing is missing.' : `Missing: ${missing.join(', ')}.`;
  return [
    {
      title: 'Coverage',
      note: names,
      svg: drawn(`${answered} of ${asked} answered`, top + THICK + 2, shapes),
      sources: [],
      asOf: null,
    },
  ];
}
