import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProofAnchor } from '../../../src/domain/proof/proof-log.ts';
import { openProofLog } from '../../../src/store/proof/proof-log.ts';
import { NO_PROOFS, type ProofRig, proofRig } from '../../support/proof-rig.ts';

let rig: ProofRig;
beforeEach(async () => {
  rig = proofRig();
  for (const n of [0, 1, 2, 3]) {
    const key = `k${n}`;
    await rig.log.append({ kind: 30020, key, ref: key, subject: '0xMe', payload: { n } });
    await rig.log.checkpoint();
  }
});
afterEach(() => rig.close());

function anchor(size: number): ProofAnchor {
  return {
    size,
    root: 'ab'.repeat(32),
    transaction: `0x${'1'.repeat(64)}`,
    block: size,
    chain_id: 1,
    contract: `0x${'2'.repeat(40)}`,
    account: `0x${'3'.repeat(40)}`,
    seen_at: '2026-01-01T00:00:00.000Z',
  };
}

test('the first anchor that covers a record is found, and a chain that lost some takes them', async () => {
  const { evidence } = rig.log;
  for (const size of [4, 2, 2]) await evidence.storeAnchor(anchor(size));
  expect([0, 1, 2, 3].map((seq) => evidence.findAnchorOf(seq)?.size)).toEqual([2, 2, 4, 4]);
  expect(evidence.findAnchorOf(4)).toBeUndefined();
  expect(evidence.latestAnchor()?.size).toBe(4);
  expect([await evidence.dropAnchors(2), await evidence.dropAnchors(2)]).toEqual([1, 0]);
  expect(evidence.latestAnchor()?.size).toBe(2);
});

test('the first cosignature of a witness for a size stays, and the newest size is known', async () => {
  const { evidence } = rig.log;
  await evidence.storeCosignature(2, 'b', 'line b\n');
  await evidence.storeCosignature(2, 'a', 'line a\n');
  await evidence.storeCosignature(2, 'a', 'another\n');
  await evidence.storeCosignature(1, 'a', 'older\n');
  expect(evidence.cosignatures(2)).toEqual(['line a\n', 'line b\n']);
  expect(evidence.cosignatures(3)).toEqual([]);
  expect(evidence.latestCosigned()).toBe(2);
  expect(evidence.checkpointOf(2)).toContain('\n2\n');
  expect(evidence.checkpointOf(9)).toBeUndefined();
});

test('what is kept in memory is read again from the disk', async () => {
  const { evidence } = rig.log;
  await evidence.storeAnchor(anchor(3));
  await evidence.storeCosignature(3, 'a', 'line a\n');
  const before = [rig.log.latestCheckpoint(), rig.log.inclusion(1, 3), rig.log.root(4)];
  await rig.log.close();
  const again = openProofLog({ path: join(rig.folder, 'proofs'), ...NO_PROOFS });
  try {
    expect(again.evidence.latestAnchor()).toEqual(anchor(3));
    expect([again.evidence.findAnchorOf(2), again.evidence.findAnchorOf(3)]).toEqual([
      anchor(3),
      undefined,
    ]);
    expect(again.evidence.latestCosigned()).toBe(3);
    expect(again.evidence.cosignatures(3)).toEqual(['line a\n']);
    expect([again.latestCheckpoint(), again.inclusion(1, 3), again.root(4)]).toEqual(before);
  } finally {
    await again.close();
  }
});

test('a subject is erased in whatever letters it is written', async () => {
  expect(await rig.log.erase('0xme')).toBe(4);
  expect(rig.log.payload(2)).toBeUndefined();
  expect(rig.log.record(2)).toBeDefined();
});
