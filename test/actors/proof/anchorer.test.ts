import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANCHOR_RETRY_MS, Anchorer } from '../../../src/actors/proof/anchorer.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import {
  createMemoryPaymentChain,
  type MemoryPaymentChain,
} from '../../support/chain-memory/memory-chain.ts';
import { type ProofRig, proofRig, soon } from '../../support/proof-rig.ts';

const EVERY_MS = 600_000;
let rig: ProofRig;
let chain: MemoryPaymentChain;
let clock: SimulatedClock;
let notices: string[];
let anchorer: Anchorer;

beforeEach(() => {
  rig = proofRig();
  clock = new SimulatedClock(Date.UTC(2026, 0, 1));
  chain = createMemoryPaymentChain({ now: () => clock.now(), balances: {} });
  notices = [];
  anchorer = start();
});
afterEach(async () => {
  await anchorer.stop();
  await rig.close();
});

function start(): Anchorer {
  const { facts, trust } = chain;
  const notice = (line: string) => notices.push(line);
  const parts = { log: rig.log, trust, chainId: facts.chainId, clock, notice };
  return new Anchorer({ ...parts, everyMs: EVERY_MS });
}

async function grow(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const key = `k${rig.log.size}`;
    await rig.log.append({ kind: 30020, key, ref: key, subject: 'me', payload: {} });
  }
}

const rootHex = (size: number) => Buffer.from(rig.log.root(size)).toString('hex');

test('a log that has grown is anchored as it was signed, and covers its records', async () => {
  expect(await anchorer.anchorNow()).toEqual({ state: 'empty' });
  await grow(3);
  const told = await anchorer.anchorNow();
  const { facts, trust } = chain;
  expect(told).toMatchObject({
    state: 'anchored',
    anchor: {
      size: 3,
      root: rootHex(3),
      chain_id: facts.chainId,
      contract: trust.contracts.anchor,
      account: trust.operator,
    },
  });
  const { evidence } = rig.log;
  expect(evidence.checkpointOf(3)).toBeDefined();
  expect(evidence.findAnchorOf(2)?.size).toBe(3);
  expect(evidence.findAnchorOf(3)).toBeUndefined();
  await grow(2);
  await anchorer.anchorNow();
  expect([evidence.findAnchorOf(2)?.size, evidence.findAnchorOf(3)?.size]).toEqual([3, 5]);
});

test('it comes round by itself, and does nothing while the log stays as it is', async () => {
  await grow(1);
  await clock.advance(EVERY_MS);
  await soon(() => rig.log.evidence.latestAnchor()?.size === 1);
  const block = rig.log.evidence.latestAnchor()?.block;
  await anchorer.anchorNow();
  expect(rig.log.evidence.latestAnchor()?.block).toBe(block);
  expect(notices).toEqual([]);
});

test('an answer that is lost anchors once; one that never arrives is tried again', async () => {
  await grow(1);
  chain.trust.faults.fates.push('late');
  expect(await anchorer.anchorNow()).toMatchObject({ state: 'anchored', anchor: { size: 1 } });
  await grow(1);
  chain.trust.faults.fates.push('lost');
  expect(await anchorer.anchorNow()).toMatchObject({ state: 'pending' });
  expect(rig.log.evidence.latestAnchor()?.size).toBe(1);
  expect(await anchorer.anchorNow()).toMatchObject({ state: 'anchored', anchor: { size: 2 } });
});

test('a process that was killed behind the call finds its anchor', async () => {
  await grow(2);
  await chain.trust.anchor.anchor(2, `0x${rootHex(2)}`);
  await rig.log.checkpoint();
  await anchorer.stop();
  anchorer = start();
  expect(await anchorer.anchorNow()).toMatchObject({ state: 'anchored', anchor: { size: 2 } });
});

test('what is refused is pending with its reason, told once, and tried again', async () => {
  await grow(1);
  chain.trust.faults.fates.push('refused', 'refused');
  for (const _ of [1, 2]) expect(await anchorer.anchorNow()).toMatchObject({ state: 'pending' });
  expect(notices).toHaveLength(1);
  expect(anchorer.reason).not.toMatch(/at intervals/);
  await clock.advance(EVERY_MS);
  await soon(() => rig.log.evidence.latestAnchor()?.size === 1);
  expect(anchorer.reason).toMatch(/at intervals/);
});

test('a chain that does not answer leaves the log as it is, and is asked again', async () => {
  await grow(1);
  chain.faults.isDown = true;
  await expect(anchorer.anchorNow()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  await clock.advance(EVERY_MS);
  await soon(() => notices.length === 1);
  chain.faults.isDown = false;
  await clock.advance(ANCHOR_RETRY_MS);
  await soon(() => rig.log.evidence.latestAnchor()?.size === 1);
});

test('a chain that was set back takes its anchors along, and gets them anew', async () => {
  await grow(1);
  await anchorer.anchorNow();
  chain = createMemoryPaymentChain({ now: () => clock.now(), balances: {} });
  await anchorer.stop();
  anchorer = start();
  await grow(1);
  expect(await anchorer.anchorNow()).toMatchObject({ state: 'anchored', anchor: { size: 2 } });
  expect(rig.log.evidence.findAnchorOf(0)?.size).toBe(2);
  expect(notices.join()).toContain('have been reset');
});

test('a root that the log does not have is said loudly and never shown as its anchor', async () => {
  await grow(1);
  await chain.trust.anchor.anchor(9, `0x${'ab'.repeat(32)}`);
  expect(await anchorer.anchorNow()).toMatchObject({ state: 'pending' });
  expect(notices.join()).toContain('that this log lacks');
  expect(rig.log.evidence.latestAnchor()).toBeUndefined();
});
