import { expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/domain/common/error.ts';
import type { JsonObject } from '../../../src/domain/common/json.ts';
import {
  assessCompleteness,
  checkAnswer,
  type DataAnswer,
  dataResultSchema,
  hashAnswer,
  iterateValues,
} from '../../../src/domain/data/envelope.ts';
import { SourceList } from '../../../src/domain/data/source.ts';
import { createDataValue, DataValue } from '../../../src/domain/data/value.ts';

const NOW = Date.UTC(2026, 0, 1);
const facts = {
  upstream: 'kraken',
  url: 'https://api.kraken.com/x',
  sha256: 'a'.repeat(64),
  bytes: 10,
  retrieved_at: '2026-01-01T00:00:00.000Z',
  revalidated_at: null,
  http_status: 200,
  from_cache: false,
};
const price = {
  value: '1.50',
  unit: 'USD',
  asOf: NOW - 4_000,
  asOfKind: 'received' as const,
  maxAgeMs: 10_000,
  now: NOW,
  sources: ['s1'],
};

function answer(over: Partial<DataAnswer> = {}): DataAnswer {
  const sources = new SourceList();
  sources.assignId(facts);
  return {
    data: { price: createDataValue(price) as unknown as JsonObject },
    sources: sources.records(),
    coverage: { asked: 1, answered: 1, missing: [] },
    faults: [],
    method: {},
    ...over,
  };
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    return thrown instanceof AppError ? thrown.code : String(thrown);
  }
  return 'none';
}

test('a value says until when it is valid, and is stale from then on', () => {
  const value = createDataValue(price);
  expect(DataValue.parse(value)).toEqual({
    value: '1.50',
    unit: 'USD',
    as_of: '2025-12-31T23:59:56.000Z',
    as_of_kind: 'received',
    valid_until: '2026-01-01T00:00:06.000Z',
    age_s: 4,
    stale: false,
    sources: ['s1'],
  });
  expect(createDataValue({ ...price, now: NOW + 6_000 }).stale).toBe(false);
  expect(createDataValue({ ...price, now: NOW + 6_001 }).stale).toBe(true);
});

test('a figure without a source, or that is no decimal, is never made a value', () => {
  expect(codeOf(() => createDataValue({ ...price, sources: [] }))).toBe('INVARIANT');
  for (const value of ['NaN', '1e5', '', 'Infinity', '1,5']) {
    expect(
      codeOf(() => createDataValue({ ...price, value })),
      value,
    ).toBe('INVARIANT');
  }
});

test('an answer whose value cites a source that is not listed is refused', () => {
  checkAnswer(answer());
  const foreign = createDataValue({ ...price, sources: ['s9'] }) as unknown as JsonObject;
  expect(codeOf(() => checkAnswer(answer({ data: { deep: [{ price: foreign }] } })))).toBe(
    'INVARIANT',
  );
  expect(codeOf(() => checkAnswer(answer({ sources: [] })))).toBe('INVARIANT');
  const miscounted = { asked: 2, answered: 1, missing: [] };
  expect(codeOf(() => checkAnswer(answer({ coverage: miscounted })))).toBe('INVARIANT');
});

test('what looks like a value must be one', () => {
  const bare = { data: { price: { value: '1.5', unit: 'USD' } } };
  expect(codeOf(() => checkAnswer(answer(bare)))).not.toBe('none');
  expect([
    ...iterateValues({ a: [createDataValue(price)], b: createDataValue(price) }),
  ]).toHaveLength(2);
});

test('an answer with something missing is partial, one without data is none', () => {
  expect(assessCompleteness(answer())).toBe('full');
  const missing = { asked: 2, answered: 1, missing: ['bitstamp'] };
  expect(assessCompleteness(answer({ coverage: missing }))).toBe('partial');
  expect(assessCompleteness(answer({ data: null }))).toBe('none');
});

test('the hash of an answer binds its figures and the bytes they were read from', () => {
  const hash = hashAnswer(answer());
  const [source] = answer().sources;
  expect(hashAnswer(answer())).toBe(hash);
  const changed = createDataValue({ ...price, value: '1.51' }) as unknown as JsonObject;
  expect(hashAnswer(answer({ data: { price: changed } }))).not.toBe(hash);
  expect(source).toBeDefined();
  if (source === undefined) return;
  const others = [{ ...source, sha256: 'b'.repeat(64) }];
  expect(hashAnswer(answer({ sources: others }))).not.toBe(hash);
});

test('the same bytes are one source, other bytes another', () => {
  const list = new SourceList();
  expect(list.assignId(facts)).toBe('s1');
  expect(list.assignId({ ...facts })).toBe('s1');
  expect(list.assignId({ ...facts, sha256: 'b'.repeat(64) })).toBe('s2');
  expect(list.records().map(({ id }) => id)).toEqual(['s1', 's2']);
});

test('every data tool answers in one shape; without data it holds neither figures nor proof', () => {
  const shape = dataResultSchema(z.object({ price: DataValue }));
  const { data, sources, coverage, faults, method } = answer();
  const whole = {
    tool: 'oracle_price-feed',
    request_id: 'req_1',
    generated_at: price.asOf,
    completeness: 'full',
    data,
    sources,
    coverage,
    faults,
    method,
    evidence: { result_sha256: hashAnswer(answer()), proof_ref: 'stm_1', records: '/v1' },
  };
  const sent = { ...whole, generated_at: '2026-01-01T00:00:00.000Z' };
  expect(shape.parse(sent)).toEqual(sent);
  expect(shape.safeParse(whole).success).toBe(false);
  expect(shape.safeParse({ ...sent, data: { price: '1.50' } }).success).toBe(false);
  expect(
    shape.safeParse({ ...sent, data: null, completeness: 'none', evidence: null }).success,
  ).toBe(true);
});
