import { readFileSync } from 'node:fs';
import type { Hex } from 'viem';
import { encodeDeployData } from 'viem/utils';
import { expect, test } from 'vitest';
import { readArtifact } from '../../../src/providers/chain/local/artifact.ts';
import { openPaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { walletMaker } from '../../support/wallet-contract.ts';
import { DELIVERABLE, FUNDS, moved, openScene, refusal, WORD } from './trust-scene.ts';

const DAYS_7_S = 7 * 24 * 3_600;
const { bytecode } = JSON.parse(
  readFileSync(new URL('../../fixtures/contracts/job-escrow-1.json', import.meta.url), 'utf8'),
) as { readonly bytecode: Hex };

/** A chain of a data directory that was made while the escrow had version 1. */
const at = openScene(async () => {
  const folder = tempDir();
  let passedMs = 0;
  const now = () => Date.now() + passedMs;
  const notice = () => undefined;
  const chain = await openPaymentChain({ kind: 'local', dataDir: folder.path, now, notice });
  const { rpcUrl, token, treasury } = chain.facts;
  const { operator } = chain.trust;
  const { abi } = readArtifact('JobEscrow');
  const args = [token, operator, operator, treasury];
  const data = encodeDeployData({ abi, bytecode, args });
  const code = await nodeRpc<Hex>(rpcUrl, 'eth_call', { data, gas: '0x989680' }, 'latest');
  await nodeRpc(rpcUrl, 'anvil_setCode', chain.trust.contracts.escrow, code);
  return {
    chain,
    trust: chain.trust,
    nowS: async () => Math.floor(now() / 1_000),
    passS: async (seconds) => {
      passedMs += seconds * 1_000;
      await nodeRpc(rpcUrl, 'evm_increaseTime', seconds);
    },
    fund: (address, amount) => chain.faucet(address, amount),
    wallet: walletMaker(rpcUrl),
    close: async () => {
      await chain.close();
      folder.remove();
    },
  };
}, 60_000);

test('an escrow of version 1 keeps its rule, and says when it refunds', async () => {
  const { trust, chain, passS, nowS } = at.world;
  const job = await at.job();
  await moved(at, job, job.provider, { move: 'fulfil', deliverable: DELIVERABLE });
  expect((await moved(at, job, job.buyer, { move: 'dispute', reason: WORD })).state).toBe('done');
  const { disputedAtS, undecidedRefundS } = await trust.escrow.readJob(job.key);
  expect(undecidedRefundS).toBe(disputedAtS + DAYS_7_S);
  expect(Math.abs(disputedAtS - (await nowS()))).toBeLessThan(60);
  const refund = { move: 'refundUndecided' } as const;
  expect(await trust.escrow.move(job.key, refund)).toMatchObject(refusal('MOVE_UNAVAILABLE'));
  await passS(DAYS_7_S + 1);
  expect((await trust.escrow.move(job.key, refund)).state).toBe('done');
  expect(await chain.balance(job.buyer.address)).toBe(FUNDS);
  const { logs } = await trust.escrow.readLogs(0);
  const told = logs.flatMap(({ event }) => (event.name === 'JobDisputed' ? [event.decideByS] : []));
  expect(told).toEqual([disputedAtS + DAYS_7_S]);
});
