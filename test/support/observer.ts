import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { PaymentPayload } from '../../src/domain/payment/payment.ts';
import type { Ready } from '../../src/process/server/ready.ts';
import { encodeTransfer } from '../../src/providers/payment/token.ts';
import { nodeRpc } from './node-rpc.ts';

/**
 * Acts as somebody who has seen a signed payment: signs a transaction of its own that brings it to
 * the token. Nothing is sent.
 */
export async function observed(
  { chain }: Pick<Ready, 'chain'>,
  payment: PaymentPayload,
): Promise<Hex> {
  const observer = privateKeyToAccount(generatePrivateKey());
  return observer.signTransaction({
    ...({ type: 'eip1559', chainId: chain.id, nonce: 0, gas: 200_000n } as const),
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    to: chain.token as Hex,
    data: encodeTransfer(payment.payload),
  });
}

/** Sends it and waits for its block. @returns Its hash. */
export async function preempt(
  ready: Pick<Ready, 'chain'>,
  payment: PaymentPayload,
): Promise<string> {
  const { rpc_url: url } = ready.chain;
  const hash = await nodeRpc<string>(url, 'eth_sendRawTransaction', await observed(ready, payment));
  for (let tries = 0; tries < 200; tries += 1) {
    const receipt = await nodeRpc<{ status: string } | null>(
      url,
      'eth_getTransactionReceipt',
      hash,
    );
    if (receipt?.status === '0x1') return hash;
    if (receipt !== null) throw new Error('the observer was refused');
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error('the observer is not in a block');
}
