import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { PaymentPayload } from '../../src/domain/payment/payment.ts';
import { authorizationDigest } from '../../src/providers/chain/digest.ts';
import { createDigestSigner } from '../../src/providers/chain/signature.ts';
import type { NodePaymentChain } from '../../src/providers/payment/payment-chain.ts';
import { nodeRpc } from './node-rpc.ts';
import { requirementsOf } from './payer.ts';

/** A settlement of the load, with the receipt that its payer got. */
export interface Settled {
  readonly payload: PaymentPayload;
  readonly transaction: string;
  readonly receipt: unknown;
}

const AMOUNT = '1000';

/** A wallet that signs as fast as the native library does, with money for `count` payments. */
export async function loadPayer(chain: NodePaymentChain, count: number) {
  const signer = createDigestSigner(`0x${randomBytes(32).toString('hex')}`);
  await chain.faucet(signer.address, String(BigInt(AMOUNT) * BigInt(count)));
  const { facts } = chain;
  const digest = authorizationDigest({
    name: facts.tokenName,
    version: facts.tokenVersion,
    chainId: facts.chainId,
    token: facts.token,
  });
  const accepted = requirementsOf(facts, { amount: AMOUNT });
  const pay = (): PaymentPayload => {
    const nowS = Math.floor(Date.now() / 1000);
    const authorization = {
      from: signer.address,
      to: facts.treasury,
      value: AMOUNT,
      validAfter: String(nowS - 600),
      validBefore: String(nowS + 600),
      nonce: `0x${randomBytes(32).toString('hex')}`,
    };
    const signature = signer.sign(digest(authorization));
    return { x402Version: 2, accepted, payload: { signature, authorization } };
  };
  return { address: signer.address, pay };
}

/** How much is settled, how much of it at once, and of how many one receipt is kept. */
export interface Load {
  readonly count: number;
  readonly every: number;
  readonly lanes: number;
}

/** Settles payments and gives every so many-th with its receipt. */
export async function settleMany(
  chain: NodePaymentChain,
  pay: () => PaymentPayload,
  { count, every, lanes }: Load,
): Promise<readonly Settled[]> {
  const kept: Settled[] = [];
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      begun += 1;
      const place = begun;
      const payload = pay();
      const outcome = await chain.settle(payload);
      if (outcome.state !== 'settled') throw new Error(JSON.stringify(outcome));
      if (place % every !== 0) continue;
      const { transaction } = outcome;
      const receipt = await chain.signReceipt({
        resourceUrl: 'mcp://tool/load',
        payer: payload.payload.authorization.from,
        transaction,
        issuedAt: Date.now(),
      });
      kept.push({ payload, transaction, receipt });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return kept;
}

/** Settles so much that the first blocks leave a node whose checkpoints are small, and waits. */
export async function forgetFirstBlocks(chain: NodePaymentChain): Promise<void> {
  const { rpcUrl } = chain.facts;
  const patience = { timeout: 20_000, interval: 100 };
  const { pay } = await loadPayer(chain, 70);
  // So that none of the blocks before are among those that a checkpoint leaves.
  await vi.waitFor(() => nodeRpc(rpcUrl, 'anvil_mine', '0x50'), patience);
  await settleMany(chain, pay, { count: 70, every: 70, lanes: 16 });
  await vi.waitFor(async () => {
    const first = await nodeRpc(rpcUrl, 'eth_getBlockByNumber', '0x1', false);
    if (first !== null) throw new Error('the first block is still there');
  }, patience);
}

/** Bytes of the chain's folder, by kind. */
export function chainBytes(dataDir: string) {
  const folder = join(dataDir, 'chain');
  const size = (name: string) => statSync(join(folder, name)).size;
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  const sum = (part: RegExp) =>
    names.filter((name) => part.test(name)).reduce((total, name) => total + size(name), 0);
  const kinds = { journal: sum(/^raw/), archive: sum(/^archive/), logs: sum(/^logs/) };
  return { state: sum(/^state/), ...kinds, all: sum(/./) };
}

/** Resident memory of the node in MiB, where the system tells it. */
export function nodeMemoryMib({ nodePid }: NodePaymentChain): number | undefined {
  try {
    const status = readFileSync(`/proc/${nodePid()}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  } catch {
    return undefined;
  }
}
