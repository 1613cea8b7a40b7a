import { describe, expect, test } from 'vitest';
import { drawBars } from '../../../src/domain/drawing/bars.ts';
import { CANDLES_DRAWN_MAX, drawPrices } from '../../../src/domain/drawing/prices.ts';
import { drawSpans } from '../../../src/domain/drawing/spans.ts';
import { drawBoard } from '../../../src/domain/drawing/status-board.ts';
import { WIDTH } from '../../../src/domain/drawing/svg.ts';

const HOSTILE = '"><script>alert(1)</script>\u202e';
const DAY = 86_400_000;

/** Attributes of the shapes of one class, as numbers. */
function shapes(svg: string, kind: string): readonly Record<string, number>[] {
  return [...svg.matchAll(new RegExp(`<\\w+ class="${kind}" ([^>]*?)/?>`, 'g'))].map(
    ([, all = '']) =>
      Object.fromEntries(
        [...all.matchAll(/([\w]+)="(-?[\d.]+)"/g)].map(([, name, value]) => [name, Number(value)]),
      ),
  );
}

function candle(day: number, open: number, close: number) {
  return {
    at: day * DAY,
    open,
    close,
    high: Math.max(open, close) + 1,
    low: Math.min(open, close) - 1,
  };
}

test('bars stand on both sides of one zero, as long as their figures', () => {
  const svg = drawBars('b', [
    { label: 'plus', value: 10, text: '10' },
    { label: 'minus', value: -5, text: '-5' },
    { label: 'none', value: 0, text: '0' },
  ]);
  const [plus, minus, none] = shapes(svg, 'main');
  const [axis] = shapes(svg, 'axis');
  expect(plus?.['x']).toBeCloseTo(axis?.['x1'] ?? 0, 0);
  expect((minus?.['x'] ?? 0) + (minus?.['width'] ?? 0)).toBeCloseTo(axis?.['x1'] ?? 0, 0);
  expect((plus?.['width'] ?? 0) / (minus?.['width'] ?? 1)).toBeCloseTo(2, 1);
  expect(none?.['width']).toBe(1);
  // The line of zero stands beside bars alone: names and figures above them are not struck through.
  for (const [row, { y1 = 0, y2 = 0 }] of shapes(svg, 'axis').entries()) {
    const base = [...svg.matchAll(/<text x="0" y="([\d.]+)"/g)].map(([, y]) => Number(y));
    expect(y1).toBeGreaterThan(base[row] ?? 0);
    expect(y2).toBeLessThan((base[row + 1] ?? 1_000) - 12);
  }
  expect(shapes(svg, 'axis')).toHaveLength(3);
});

test('bars that are all zero have no length', () => {
  const svg = drawBars('b', [{ label: 'a', value: 0, text: '0' }]);
  expect(shapes(svg, 'main').map(({ width }) => width)).toEqual([1]);
  expect(svg).not.toContain('NaN');
});

test('spans share one axis, and the mark stands where its figure is', () => {
  const spans = [
    { label: 'a', low: 10, high: 20, point: 12, text: '' },
    { label: 'b', low: 20, high: 30, point: 30, text: '' },
  ];
  const svg = drawSpans('s', spans, { mark: { value: 20, text: 'reference 20' } });
  const [a, b] = shapes(svg, 'main');
  const end = (a?.['x'] ?? 0) + (a?.['width'] ?? 0);
  expect(end).toBeCloseTo(b?.['x'] ?? 0, 0);
  expect(shapes(svg, 'mark').map(({ x1 }) => x1)).toEqual([end, end]);
  expect(shapes(svg, 'dot').map(({ cx }) => cx)).toEqual([54.4, 472]);
});

test('a candle that is missing leaves its place empty, in bodies and in a line', () => {
  const series = (days: readonly number[]) => ({
    candles: days.map((day) => candle(day, 100, 101)),
    stepMs: DAY,
    regimes: [],
  });
  const all = Array.from({ length: CANDLES_DRAWN_MAX + 20 }, (_, day) => day);
  const bodies = (svg: string) => /class="up" d="([^"]*)"/.exec(svg)?.[1]?.split('z').length ?? 0;
  expect(bodies(drawPrices('p', series([0, 1, 4])))).toBe(3 + 1);
  const trace = (svg: string) => /class="trace" d="([^"]*)"/.exec(svg)?.[1] ?? '';
  expect(trace(drawPrices('p', series(all))).match(/M/g)).toHaveLength(1);
  const holed = all.filter((day) => day !== 50);
  expect(trace(drawPrices('p', series(holed))).match(/M/g)).toHaveLength(2);
});

test('candles that rose are hollow and those that fell are filled, whatever their colour', () => {
  const candles = [candle(0, 100, 110), candle(1, 110, 105), candle(2, 105, 105)];
  const svg = drawPrices('p', { candles, stepMs: DAY, regimes: [] });
  expect(/class="up" d="([^"]*)"/.exec(svg)?.[1]?.match(/M/g)).toHaveLength(2);
  expect(/class="down" d="([^"]*)"/.exec(svg)?.[1]?.match(/M/g)).toHaveLength(1);
  expect(svg).toContain('1970-01-01');
  expect(svg).toContain('1970-01-04');
});

test('regimes stand at three heights within the drawing', () => {
  const regimes = (['up', 'sideways', 'down'] as const).map((regime, at) => ({
    from: at * DAY,
    to: (at + 1) * DAY,
    regime,
  }));
  const svg = drawPrices('p', {
    candles: [candle(0, 1, 2), candle(2, 2, 1)],
    stepMs: DAY,
    regimes,
  });
  const tops = ['good', 'flat', 'bad'].map((kind) => shapes(svg, kind)[0]?.['y'] ?? 0);
  expect(tops).toEqual([...tops].sort((a, b) => a - b));
  expect(new Set(tops).size).toBe(3);
});

test('a board has a square for each finding and says how many there are', () => {
  const counts = [
    { word: 'high', count: 2, tone: 'bad' as const },
    { word: 'low', count: 12, tone: 'main' as const },
  ];
  const row = { label: 'l', status: 'ok', tone: 'good' as const, none: 'nothing' };
  const svg = drawBoard('b', [
    { ...row, counts },
    { ...row, counts: [] },
  ]);
  expect(shapes(svg, 'bad')).toHaveLength(2);
  expect(shapes(svg, 'main')).toHaveLength(8);
  expect(svg).toContain('12 low');
  expect(svg).toContain('>nothing<');
});

describe('texts of strangers', () => {
  const point = { label: HOSTILE, value: 1, text: HOSTILE };
  const span = { label: HOSTILE, low: 0, high: 1, point: 1, text: HOSTILE };
  const row = { label: HOSTILE, status: HOSTILE, tone: 'bad', counts: [], none: HOSTILE } as const;
  test.each([
    ['bars', drawBars(HOSTILE, [point])],
    ['spans', drawSpans(HOSTILE, [span], { mark: { value: 1, text: HOSTILE } })],
    ['board', drawBoard(HOSTILE, [row])],
    ['prices', drawPrices(HOSTILE, { candles: [candle(0, 1, 2)], stepMs: DAY, regimes: [] })],
  ])('stay text in %s', (_, svg) => {
    const names = new Set([...svg.matchAll(/<\/?([a-z]+)/gi)].map(([, name]) => name));
    const known = ['svg', 'text', 'rect', 'line', 'circle', 'path', 'title'];
    expect([...names].filter((name) => !known.includes(name ?? ''))).toEqual([]);
    expect(svg).not.toContain('\u202e');
    expect(svg).toContain(`viewBox="0 0 ${WIDTH} `);
  });
});
