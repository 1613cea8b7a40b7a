import type { Coverage } from '../../data/envelope.ts';
import {
  boxElement,
  type Drawing,
  LINE_HEIGHT,
  svgElement,
  textElement,
  WIDTH,
} from '../../drawing/svg.ts';

const BAR_HEIGHT = 14;

/** Draws the share of requested sources that responded. */
export function drawCoverage({ asked, answered, missing }: Coverage): readonly Drawing[] {
  if (asked === 0) return [];
  const barWidth = (WIDTH * answered) / asked;
  const top = LINE_HEIGHT + 4;
  const shapes = [
    textElement({ x: 0, y: LINE_HEIGHT - 3 }, `${answered} of ${asked} answered`),
    textElement(
      { x: WIDTH, y: LINE_HEIGHT - 3, anchor: 'end', tone: 'muted' },
      `${missing.length} missing`,
    ),
    boxElement(
      { x: 0, y: top, width: WIDTH, height: BAR_HEIGHT },
      missing.length > 0 ? 'warn' : 'rail',
    ),
    ...(answered === 0
      ? []
      : [boxElement({ x: 0, y: top, width: barWidth, height: BAR_HEIGHT }, 'good')]),
  ];
  const names = missing.length === 0 ? 'Nothing is missing.' : `Missing: ${missing.join(', ')}.`;
  return [
    {
      title: 'Coverage',
      note: names,
      svg: svgElement(`${answered} of ${asked} answered`, top + BAR_HEIGHT + 2, shapes),
      sources: [],
      asOf: null,
    },
  ];
}
