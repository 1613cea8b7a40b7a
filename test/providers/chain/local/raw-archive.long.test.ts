import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  type ArchivedTransaction,
  openRawArchive,
} from '../../../../src/providers/chain/local/raw-archive.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const DAY_S = 86_400;
const NOW_S = 1_800_000_000;
const folders: { remove: () => void }[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

test('rows are found by time, and given in order from a nonce on, also after a restart', async () => {
  const folder = freshFolder();
  const first = openRawArchive(folder);
  await first.add([row(0, 10), row(1, 20)]);
  await first.add([row(2, 30), row(3, 40)]);
  for (const archive of [first, openRawArchive(folder)]) {
    const isOne = ({ nonce }: ArchivedTransaction) => nonce === 1;
    expect(await archive.find('0x1', isOne)).toEqual(row(1, 20));
    expect(await archive.find('0x7', isOne)).toBeUndefined();
    expect(await archive.find('0x1', isOne, { fromS: 20, toS: 25 })).toEqual(row(1, 20));
    expect(await archive.find('0x1', isOne, { fromS: 21, toS: 25 })).toBeUndefined();
    expect(archive.from(2)).toEqual([row(2, 30), row(3, 40)]);
    expect(archive.from(4)).toEqual([]);
  }
});

test('rows that were written before a kill are not written twice', async () => {
  const folder = freshFolder();
  await openRawArchive(folder).add([row(0, 10), row(1, 20)]);
  const second = openRawArchive(folder);
  await second.add([row(0, 10), row(1, 20)]);
  expect(readdirSync(folder)).toHaveLength(1);
  await second.add([row(1, 20), row(2, 30)]);
  expect(second.from(0)).toEqual([row(0, 10), row(1, 20), row(2, 30)]);
});

test('files older than 400 days go, and no younger one', async () => {
  const folder = freshFolder();
  const archive = openRawArchive(folder);
  await archive.add([row(0, NOW_S - 401 * DAY_S)]);
  await archive.add([row(1, NOW_S - 399 * DAY_S)]);
  expect(archive.trim(NOW_S * 1_000)).toBe(1);
  expect(archive.from(0)).toEqual([row(1, NOW_S - 399 * DAY_S)]);
  expect(readdirSync(folder)).toHaveLength(1);
});

test('of more than 2,000 files the oldest go', async () => {
  const folder = freshFolder();
  const archive = openRawArchive(folder);
  for (let nonce = 0; nonce < 2_003; nonce += 1) await archive.add([row(nonce, NOW_S)]);
  expect(archive.trim(NOW_S * 1_000)).toBe(3);
  expect(await archive.find('0x2', ({ nonce }) => nonce === 2)).toBeUndefined();
  expect(await archive.find('0x3', ({ nonce }) => nonce === 3)).toEqual(row(3, NOW_S));
}, 120_000);

function row(nonce: number, atS: number): ArchivedTransaction {
  return { hash: `0x${nonce}`, raw: '0xf0', nonce, atS, ok: true, block: nonce };
}

function freshFolder(): string {
  const folder = tempDir();
  folders.push(folder);
  return join(folder.path, 'archive');
}
