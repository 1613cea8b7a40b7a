import { expect, test } from 'vitest';
import { createRows, PAGE_ROWS, PAGES_MAX } from '../../web/src/journal/rows.ts';
import { journalOf, rowOf } from './journal-kit.ts';

test('a row that is not there is read with its page, once', async () => {
  const { asked, read } = journalOf(1, 450);
  const rows = createRows(read);
  rows.extend(1, 450);
  expect(rows.row(250)).toBeNull();
  expect(rows.row(251)).toBeNull();
  await rows.load(250, 250);
  expect(rows.row(250)?.seq).toBe(250);
  expect(rows.row(399)?.seq).toBe(399);
  expect(asked).toEqual([200]);
});

test('rows beyond what the server keeps are not asked for', () => {
  const { asked, read } = journalOf(1, 10);
  const rows = createRows(read);
  rows.extend(1, 10);
  expect(rows.row(11)).toBeNull();
  expect(rows.row(0)).toBeNull();
  expect(asked).toEqual([]);
});

test('pushed rows extend the journal, and a row that comes twice counts once', () => {
  const rows = createRows(journalOf(1, 3).read);
  rows.extend(1, 3);
  rows.push([rowOf(4), rowOf(5)]);
  rows.push([rowOf(5), rowOf(6)]);
  expect(rows.span.value).toEqual({ firstSeq: 1, lastSeq: 6 });
  expect([4, 5, 6].map((seq) => rows.peek(seq)?.seq)).toEqual([4, 5, 6]);
});

test('a reading moves the first row that is kept', async () => {
  const rows = createRows(journalOf(120, 300).read);
  rows.extend(0, 300);
  await rows.load(0, 130);
  expect(rows.span.value).toEqual({ firstSeq: 120, lastSeq: 300 });
  expect(rows.row(120)?.seq).toBe(120);
});

test('an older frame does not take newest rows away', () => {
  const rows = createRows(journalOf(1, 9).read);
  rows.extend(1, 9);
  rows.extend(1, 7);
  expect(rows.span.value).toEqual({ firstSeq: 1, lastSeq: 9 });
});

test('a reading that failed is made again when the row is looked at again', async () => {
  const { read } = journalOf(1, 5);
  let tries = 0;
  const rows = createRows((from, limit) => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error('line broke')) : read(from, limit);
  });
  rows.extend(1, 5);
  await rows.load(1, 5);
  expect(rows.peek(3)).toBeNull();
  await rows.load(1, 5);
  expect(rows.peek(3)?.seq).toBe(3);
});

test('what is held stays within its bound', () => {
  const last = PAGE_ROWS * (PAGES_MAX + 5);
  const rows = createRows(journalOf(1, last).read);
  for (let from = 1; from <= last; from += PAGE_ROWS) {
    rows.push(Array.from({ length: PAGE_ROWS }, (_, index) => rowOf(from + index)));
  }
  expect(rows.peek(1)).toBeNull();
  expect(rows.peek(last)?.seq).toBe(last);
  expect(rows.span.value.lastSeq).toBe(last + PAGE_ROWS - (last % PAGE_ROWS || PAGE_ROWS));
});
