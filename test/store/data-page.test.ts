import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { REDACTIONS } from '../../src/actors/inspect/redaction/kinds.ts';
import { PaymentRecord } from '../../src/domain/payment/payment-record.ts';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { FAMILY_BOUNDS } from '../../src/store/common/families.ts';
import type { StoreName } from '../../src/store/common/family-bound.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/data.md', import.meta.url)), 'utf8');
const STORES: readonly StoreName[] = [
  ...['actors' as const, 'blobs' as const, 'history' as const, 'logs' as const],
  ...['mcp' as const, 'metrics' as const, 'proofs' as const, 'trust' as const],
];

/** Rows of the tables under the heading that names a store, each as its cells. */
function rowsOf(store: string): readonly (readonly string[])[] {
  const section = PAGE.split('\n## ').find((part) =>
    part.split('\n')[0]?.includes(`store/${store}`),
  );
  const lines = (section ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function fieldsOf(kind: string): readonly string[] {
  const row = rowsOf('actors').find((cells) => cells.length === 4 && cells[0] === kind);
  return (row?.[1] ?? '').split(', ');
}

test.each(STORES)('every family of store/%s stands in docs/data.md with what it holds', (store) => {
  const written = rowsOf(store).flatMap(([families = '']) => families.split(', '));
  const kept = FAMILY_BOUNDS.filter((bound) => bound.store === store).flatMap((b) => b.families);
  expect(kept.filter((family) => !written.includes(family))).toEqual([]);
});

test('every kind of actor stands there', () => {
  const kinds = rowsOf('actors').flatMap((cells) => (cells.length === 4 ? [cells[0]] : []));
  expect(MACHINES.map(({ kind }) => kind).filter((kind) => !kinds.includes(kind))).toEqual([]);
});

test.each(REDACTIONS)('every field of a $kind stands there', ({ kind, context, hidden }) => {
  const members = [...context, ...hidden].map((path) => path.split('.')[0] ?? '');
  const missing = [...new Set(members)].filter((member) => !fieldsOf(kind).includes(member));
  expect(missing).toEqual([]);
});

test('every field of a payment stands there', () => {
  const fields = fieldsOf('payment');
  expect(Object.keys(PaymentRecord.shape).filter((field) => !fields.includes(field))).toEqual([]);
});

test('each row says its fields and why, or of whom', () => {
  for (const store of STORES) {
    for (const cells of rowsOf(store)) for (const cell of cells) expect(cell, store).not.toBe('');
  }
});
