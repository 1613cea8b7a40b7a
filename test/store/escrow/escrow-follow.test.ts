import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { EscrowLog } from '../../../src/domain/chain/trust-chain.ts';
import { openTrustStore, type TrustStore } from '../../../src/store/chain/trust-store.ts';
import { openEscrowFollowStore, UNCLAIMED_MAX } from '../../../src/store/escrow/escrow-follow.ts';
import { tempDir } from '../../support/temp-dir.ts';

const folder = tempDir();
const opened: TrustStore[] = [];
afterAll(() => folder.remove());
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

function open(name: string) {
  const store = openTrustStore({ path: join(folder.path, name) });
  opened.push(store);
  return openEscrowFollowStore(store);
}

function logOf(key: string, block: number): EscrowLog {
  const event = { name: 'JobEscrowed', jobId: '0x01', amount: '5' } as const;
  const where = { transaction: `0x${block}`, blockHash: '0x02', logIndex: 0, atS: 9 };
  return { key, event, block, ...where };
}

test('the place in the chain and what nobody claimed are there after a restart', async () => {
  const first = open('restart');
  expect(first.next).toBe(0);
  await first.save(12, [logOf('0xaa', 10), logOf('0xaa', 11), logOf('0xab', 11)]);
  for (const each of opened.splice(0)) await each.close();
  const again = open('restart');
  expect(again.next).toBe(12);
  expect(again.readUnclaimed('0xaa').map(({ block }) => block)).toEqual([10, 11]);
  await again.deleteUnclaimed('0xaa');
  expect([again.readUnclaimed('0xaa'), again.readUnclaimed('0xab').length]).toEqual([[], 1]);
});

test('logs of strangers fill no disk: the newest above the bound are left out', async () => {
  const kept = open('bound');
  const flood = Array.from({ length: UNCLAIMED_MAX + 5 }, (_, n) => logOf(`0x${n}`, n));
  await kept.save(2_000, flood);
  expect(kept.readUnclaimed('0x0')).toHaveLength(1);
  expect(kept.readUnclaimed(`0x${UNCLAIMED_MAX + 4}`)).toEqual([]);
  expect(kept.next).toBe(2_000);
});
