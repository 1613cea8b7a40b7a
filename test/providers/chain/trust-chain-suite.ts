import { randomBytes } from 'node:crypto';
import { hashTypedData, toHex, verifyTypedData } from 'viem';
import { describe, expect, test, vi } from 'vitest';
import type { EscrowLog } from '../../../src/domain/chain/trust-chain.ts';
import { hashJson } from '../../../src/domain/common/hash.ts';
import { buildStatementData } from '../../../src/domain/wallet/statement.ts';
import { createParty } from '../../support/trust-parties.ts';
import { trustEscrowSuite } from './trust-escrow-suite.ts';
import {
  DELIVERABLE,
  moved,
  openScene,
  refusal,
  resultOf,
  type Scene,
  type TrustWorld,
  WORD,
} from './trust-scene.ts';
import { trustWalletSuite } from './trust-wallet-suite.ts';

/** What every chain of trust must do. `open` gives a fresh one; it is closed at the end. */
export function trustChainSuite(
  name: string,
  open: () => Promise<TrustWorld>,
  timeoutMs = 30_000,
): void {
  describe(`${name} as a chain of trust`, { timeout: timeoutMs }, () => {
    const scene = openScene(open, timeoutMs);
    provesIdentity(scene);
    provesFeedback(scene);
    trustEscrowSuite(scene);
    trustWalletSuite(scene);
    provesLogs(scene);
    provesAnchors(scene);
    provesSignatures(scene);
  });
}

function provesIdentity(at: Scene): void {
  test('an agent is minted once for each token, and belongs to the operator', async () => {
    const { trust } = at.world;
    const order = { token: toHex(randomBytes(8)), uri: 'https://a.example/agent.json' };
    const metadata = { agentName: 'tester', agentClass: 'worker' };
    const first = await trust.identity.register({ ...order, metadata });
    expect(first).toMatchObject({ state: 'done', result: { agentId: expect.any(String) } });
    expect(await trust.identity.register({ ...order, metadata })).toEqual(first);
    const { agentId } = resultOf(first);
    expect(await trust.identity.read(agentId)).toEqual({
      agentId,
      owner: trust.operator,
      wallet: null,
      uri: order.uri,
    });
    expect(await trust.identity.metadata(agentId, 'agentName')).toBe('tester');
    expect(await trust.identity.metadata(agentId, 'nothing')).toBe('');
    const other = await trust.identity.register({ ...order, token: 'another', metadata });
    expect(resultOf(other).agentId).not.toBe(agentId);
  });

  test('an id that was never given is nobody', async () => {
    const { identity } = at.world.trust;
    expect(await identity.read('999999')).toBeUndefined();
    expect(await identity.read('no number')).toBeUndefined();
    expect(await identity.setUri('999999', 'x')).toMatchObject(refusal('PASSPORT_UNKNOWN'));
    expect(await identity.transfer('999999', createParty().address)).toMatchObject(
      refusal('PASSPORT_UNKNOWN'),
    );
  });

  test('a wallet is bound by its own signature and leaves with the owner', async () => {
    const { trust, nowS } = at.world;
    const { identity } = trust;
    const { agentId } = await mint(at);
    const wallet = createParty();
    const deadlineS = (await nowS()) + 240;
    const owner = trust.operator;
    const request = { agentId, wallet: wallet.address, owner, deadlineS };
    const signature = await wallet.sign(identity.createWalletRequest(request));
    const forged = await createParty().sign(identity.createWalletRequest(request));
    const order = { agentId, wallet: wallet.address, deadlineS };
    expect(await identity.setWallet({ ...order, signature: forged })).toMatchObject(
      refusal('WALLET_FORGED'),
    );
    const far = { ...order, deadlineS: deadlineS + 3_600, signature };
    expect(await identity.setWallet(far)).toMatchObject(refusal('WALLET_EXPIRED'));
    const past = { ...order, deadlineS: deadlineS - 3_600, signature };
    expect(await identity.setWallet(past)).toMatchObject(refusal('WALLET_EXPIRED'));
    expect(await identity.setWallet({ ...order, signature })).toMatchObject({ state: 'done' });
    expect((await identity.read(agentId))?.wallet).toBe(wallet.address);
    const handed = await identity.transfer(agentId, wallet.address);
    expect(handed.state).toBe('done');
    expect(await identity.read(agentId)).toMatchObject({ owner: wallet.address, wallet: null });
    expect(await identity.transfer(agentId, wallet.address)).toEqual(handed);
    expect(await identity.transfer(agentId, createParty().address)).toMatchObject(
      refusal('NOT_THE_PARTY'),
    );
    expect(await identity.setUri(agentId, 'x')).toMatchObject(refusal('NOT_THE_PARTY'));
  });

  test('a location can change and change back', async () => {
    const { identity } = at.world.trust;
    const { agentId } = await mint(at);
    for (const uri of ['https://b.example/', 'https://c.example/', 'https://b.example/']) {
      expect((await identity.setUri(agentId, uri)).state).toBe('done');
      expect((await identity.read(agentId))?.uri).toBe(uri);
    }
  });
}

function provesFeedback(at: Scene): void {
  test('feedback is written once for each key, and never by the owner of the agent', async () => {
    const { identity, reputation } = at.world.trust;
    const { agentId } = await mint(at);
    const order = {
      key: toHex(randomBytes(8)),
      agentId,
      value: 100,
      valueDecimals: 0,
      tag1: 'settledJob',
      tag2: 'released',
      endpoint: 'https://a.example/job',
      feedbackUri: 'https://a.example/file.json',
      feedbackHash: WORD,
    };
    expect(await reputation.giveFeedback(order)).toMatchObject(refusal('NOT_THE_PARTY'));
    await identity.transfer(agentId, createParty().address);
    const given = await reputation.giveFeedback(order);
    expect(given.state, JSON.stringify(given)).toBe('done');
    expect(await reputation.giveFeedback(order)).toEqual(given);
  });
}

async function mint(at: Scene): Promise<{ readonly agentId: string }> {
  const token = toHex(randomBytes(8));
  return resultOf(await at.world.trust.identity.register({ token, uri: 'data:,', metadata: {} }));
}

function provesLogs(at: Scene): void {
  test('followers hear each confirmed log once, in order, and again while they reject', async () => {
    const { trust } = at.world;
    const { upTo } = await trust.escrow.readLogs(0);
    const heard: EscrowLog[] = [];
    let rejections = 2;
    const end = trust.escrow.subscribe(upTo + 1, async (logs) => {
      const isOurs = logs.some(({ block }) => block > upTo);
      if (isOurs && rejections > 0) {
        rejections -= 1;
        throw new Error('not now');
      }
      heard.push(...logs);
    });
    const job = await at.job('exact');
    await moved(at, job, job.provider, { move: 'fulfil', deliverable: DELIVERABLE });
    await moved(at, job, job.buyer, { move: 'release' });
    const mine = () => heard.filter(({ key }) => key === job.key);
    await vi.waitFor(() => expect(mine()).toHaveLength(3), { timeout: 20_000, interval: 50 });
    end();
    expect(rejections).toBe(0);
    expect(mine().map(({ event }) => event)).toEqual([
      { name: 'JobEscrowed', jobId: job.order.terms.jobId, amount: '10000000' },
      { name: 'JobFulfilled', deliverable: DELIVERABLE, releaseByS: expect.any(Number) },
      {
        name: 'JobReleased',
        provider: job.provider.address,
        net: '8000000',
        fee: '2000000',
        isAutomatic: false,
      },
    ]);
    const all = await trust.escrow.readLogs(upTo + 1);
    expect(all.logs.filter(({ key }) => key === job.key)).toEqual(mine());
    for (const log of mine()) {
      expect(log.blockHash).toMatch(/^0x[0-9a-f]{64}$/);
      expect(Math.abs(log.atS - (await at.world.nowS()))).toBeLessThan(120);
    }
  });
}

function provesAnchors(at: Scene): void {
  test('anchors only grow, and each size is covered by the first that reaches it', async () => {
    const { anchor } = at.world.trust;
    expect(await anchor.latest()).toBeUndefined();
    expect(await anchor.covering(1)).toBeUndefined();
    const root = (size: number) => `0x${size.toString(16).padStart(64, '0')}`;
    const first = await anchor.anchor(5, root(5));
    expect(first.state).toBe('done');
    expect(await anchor.anchor(5, root(5))).toEqual(first);
    expect((await anchor.anchor(9, root(9))).state).toBe('done');
    expect(await anchor.anchor(9, root(10))).toMatchObject(refusal('SEQ_CONFLICT'));
    expect(await anchor.anchor(7, root(7))).toMatchObject(
      refusal('SEQ_CONFLICT', { received: 7, anchored: 9 }),
    );
    expect(await anchor.latest()).toEqual({ size: 9, root: root(9) });
    expect(await anchor.covering(5)).toMatchObject({ size: 5, root: root(5) });
    expect(await anchor.covering(6)).toMatchObject({ size: 9, root: root(9) });
    expect(await anchor.covering(10)).toBeUndefined();
  });
}

function provesSignatures(at: Scene): void {
  test('a signature is told from a forged one, by the digest that viem makes', async () => {
    const { trust } = at.world;
    const wallet = createParty();
    const data = trust.escrow.createMoveRequest(WORD, { move: 'dispute', reason: DELIVERABLE });
    const signature = await wallet.sign(data);
    expect(await trust.isSignedBy(wallet.address, data, signature)).toBe(true);
    expect(await trust.isSignedBy(createParty().address, data, signature)).toBe(false);
    const other = trust.escrow.createMoveRequest(WORD, { move: 'release' });
    expect(await trust.isSignedBy(wallet.address, other, signature)).toBe(false);
    expect(await trust.isSignedBy(wallet.address, data, '0x')).toBe(false);
    expect(await trust.isSignedBy(wallet.address, data, 'no hex')).toBe(false);
    const echo = `0x${'4'.padStart(40, '0')}`;
    expect(await trust.isSignedBy(echo, data, signature)).toBe(false);
    expect(hashTypedData(data as never)).toMatch(/^0x/);
  });

  test('a statement is signed by the treasury over the hash of its payload', async () => {
    const { trust, chain } = at.world;
    const payload = { subject: 'agent', score: 1 };
    const signed = trust.signStatement({ kind: 'test_report', payload, issuedAt: 0 });
    expect(signed).toMatchObject({
      kind: 'test_report',
      issued_at: '1970-01-01T00:00:00.000Z',
      payload_hash: hashJson(payload),
      signature: { alg: 'eip712', signer: chain.facts.treasury, chain_id: chain.facts.chainId },
    });
    const { value, signer } = signed.signature;
    const data = { ...buildStatementData(signed, chain.facts.chainId), address: signer };
    expect(await verifyTypedData({ ...data, signature: value } as never)).toBe(true);
  });

  test('the retired platform has no market', async () => {
    expect(await at.world.trust.readMarketCount()).toMatchObject({ count: '0' });
  });
}
