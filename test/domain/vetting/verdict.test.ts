import { expect, test } from 'vitest';
import { findAdverseWords } from '../../../src/domain/vetting/adverse.ts';
import type { LensReport } from '../../../src/domain/vetting/lens.ts';
import {
  computeVerdict,
  DILIGENCE_RULE,
  listMissingCoverage,
  listRedFlags,
  VENDOR_RULE,
} from '../../../src/domain/vetting/verdict.ts';

type Severity = 'info' | 'low' | 'medium' | 'high';

function lens(status: LensReport['status'], severity?: Severity, name = 'any') {
  const finding = { rule: 'r', claim: 'c', cited: ['s1'] };
  return {
    lens: name,
    status,
    findings: severity === undefined ? [] : [{ ...finding, severity }],
  };
}

/** Lenses of a due diligence that could all look. */
function looked(more: Readonly<Record<string, LensReport['status']>> = {}, severity?: Severity) {
  const names = ['identity', 'ownership', 'financials', 'sanctions', 'media_sentiment'];
  return names.map((name, at) => lens(more[name] ?? 'ok', at === 1 ? severity : undefined, name));
}

test('the verdict is the worst finding, and none is given while under two lenses could look', () => {
  const verdict = (...lenses: Parameters<typeof computeVerdict>[0]) =>
    computeVerdict(lenses, VENDOR_RULE);
  expect(verdict(lens('ok'), lens('no_data'))).toBe('insufficient_evidence');
  expect(verdict(lens('ok'), lens('partial', 'low'))).toBe('low');
  expect(verdict(lens('ok', 'medium'), lens('ok'))).toBe('medium');
  expect(verdict(lens('ok', 'high'), lens('failed'))).toBe('high');
  expect(verdict(lens('ok', 'medium'), lens('failed'))).toBe('insufficient_evidence');
});

test('an overall wants identity, finances, whole lists and news, and five lenses that saw', () => {
  const overall = (lenses: ReturnType<typeof looked>) => computeVerdict(lenses, DILIGENCE_RULE);
  expect(overall(looked())).toBe('low');
  expect(overall(looked({}, 'medium'))).toBe('medium');
  expect(overall(looked({ identity: 'partial', media_sentiment: 'partial' }))).toBe('low');
  for (const [name, status] of [
    ...[['identity', 'no_data'] as const, ['financials', 'not_configured'] as const],
    ...[['sanctions', 'partial'] as const, ['sanctions', 'failed'] as const],
    ...[['media_sentiment', 'failed'] as const, ['ownership', 'not_covered'] as const],
  ]) {
    expect(overall(looked({ [name]: status })), name).toBe('insufficient_evidence');
    expect(overall(looked({ [name]: status }, 'high')), name).toBe('high');
  }
});

test('what keeps an overall from being said is named', () => {
  expect(listMissingCoverage(looked(), DILIGENCE_RULE)).toEqual([]);
  expect(
    listMissingCoverage(looked({ sanctions: 'partial', ownership: 'no_data' }), DILIGENCE_RULE),
  ).toEqual(['sanctions is partial', '4 lenses have data, 5 are required']);
});

test('a tidy web site makes no overall: it does not count among the lenses that saw', () => {
  const rest = looked({ ownership: 'no_data' });
  const site = [...rest, lens('ok', undefined, 'web_presence')];
  expect(listMissingCoverage(site, DILIGENCE_RULE)).toEqual(['4 lenses have data, 5 are required']);
  expect(listMissingCoverage([...rest, lens('ok', undefined, 'security')], DILIGENCE_RULE)).toEqual(
    [],
  );
});

test('red flags are what is medium or high, with its lens', () => {
  const all = [lens('ok', 'low', 'a'), lens('partial', 'medium', 'b'), lens('ok', 'high', 'c')];
  expect(listRedFlags(all).map((flag) => [flag.lens, flag.severity])).toEqual([
    ['b', 'medium'],
    ['c', 'high'],
  ]);
});

test.each([
  ['Made Up Works files for bankruptcy after fraud probe', ['bankruptcy', 'fraud', 'probe'], true],
  ['Regulator opens investigation into Made Up Works', ['investigation'], false],
  ['Made Up Works sued over data breaches', ['sued', 'breaches'], false],
  ['Made Up Works opens a third plant', [], false],
])('words of trouble in %j', (title, words, isSevere) => {
  expect(findAdverseWords(title)).toEqual({ words, isSevere });
});
