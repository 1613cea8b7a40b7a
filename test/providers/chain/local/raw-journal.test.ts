import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  openRawJournal,
  type RawTransaction,
} from '../../../../src/providers/chain/local/raw-journal.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const folders: { remove: () => void }[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

test('kept transactions are there after a restart, without a line that was torn', async () => {
  const file = freshFile();
  const first = openRawJournal(file);
  await first.append([row(0), row(1)]);
  appendFileSync(file, '{"hash":"0x02","ra');
  first.close();
  const second = openRawJournal(file);
  await second.append([row(2)]);
  second.close();
  const third = openRawJournal(file);
  expect(third.rows()).toEqual([row(0), row(1), row(2)]);
  expect(third.hashesOf('payer:1')).toEqual(['0x1']);
  third.close();
});

test('a refused transaction is forgotten for good', async () => {
  const file = freshFile();
  const first = openRawJournal(file);
  await first.append([row(0), row(1)]);
  first.drop('0x0');
  first.close();
  const second = openRawJournal(file);
  expect(second.rows()).toEqual([row(1)]);
  second.close();
});

test('rows that are safe elsewhere are bounded, and the others are kept whatever their number', async () => {
  const file = freshFile();
  const journal = openRawJournal(file);
  await journal.append(Array.from({ length: 13_000 }, (_, nonce) => row(nonce)));
  journal.trim(0);
  expect(journal.rows()).toHaveLength(13_000);
  journal.trim(13_000);
  expect(journal.rows()).toHaveLength(10_000);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(10_000);
  expect(journal.rows().at(-1)).toEqual(row(12_999));
  journal.close();
});

test('a row that is written while the file is made anew is in the new file', async () => {
  const file = freshFile();
  const first = openRawJournal(file);
  await first.append([row(0), row(1)]);
  const writing = first.append([row(2)]);
  first.remove(new Set(['0x0']));
  await writing;
  await first.append([row(3)]);
  first.close();
  const second = openRawJournal(file);
  expect(second.rows()).toEqual([row(1), row(2), row(3)]);
  second.close();
});

function row(nonce: number): RawTransaction {
  return { hash: `0x${nonce}`, raw: '0xf0', nonce, atS: 1_700_000_000, key: `payer:${nonce}` };
}

function freshFile(): string {
  const folder = tempDir();
  folders.push(folder);
  return join(folder.path, 'raw.jsonl');
}
