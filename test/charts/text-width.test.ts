import { expect, test } from 'vitest';
import { measureText, wrapText } from '../../src/charts/text-width.ts';

const STYLE = { sizePx: 12, isBold: false };

test('widths are those of DejaVu Sans, and unknown characters count as wide', () => {
  expect(measureText('JOB.COMPLETED', STYLE)).toBe(99);
  expect(measureText('JOB.COMPLETED', { sizePx: 12, isBold: true })).toBe(111);
  expect(measureText('漢字', STYLE)).toBeGreaterThanOrEqual(24);
  expect(measureText('', STYLE)).toBe(0);
});

test.each([
  ['expired_unreleased waits for the window', 90],
  ['isForProviderInEscrow', 60],
  ['a'.repeat(60), 50],
  ['漢'.repeat(20), 40],
])('%s in %i px: no line is wider, and nothing is lost', (text, maxPx) => {
  const lines = wrapText(text, STYLE, maxPx);
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(measureText(line, STYLE)).toBeLessThanOrEqual(maxPx);
  expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
});

test('a name breaks between its words', () => {
  expect(wrapText('isForProviderInEscrow', STYLE, 85)).toEqual(['isForProvider', 'InEscrow']);
  expect(wrapText('expired_unreleased', STYLE, 80)).toEqual(['expired_', 'unreleased']);
});
