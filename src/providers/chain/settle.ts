import type { Hex } from 'viem';
import { toAppError } from '../../domain/error.ts';
import type { PaymentPayload } from '../../domain/payment.ts';
import type { TransferOutcome } from '../../domain/ports/payment-chain.ts';
import { authorizationKey } from './authorization-key.ts';
import type { RpcRefusal } from './chain-rpc.ts';
import type { OpenChain } from './local-chain.ts';
import type { LookUp } from './look-up.ts';
import { awaitConfirmed, hasSucceeded } from './receipts.ts';
import { refusalFault, transferCall } from './token.ts';
import { unstuck } from './unstick.ts';
import { estimatePartyGas, gasLimitFault } from './wallet-contract.ts';

/** A signed authorization, whoever signed it. */
export type SignedAuthorization = PaymentPayload['payload'];

/** Room above the estimate, in percent: balances move between estimate and block. */
const GAS_PERCENT = 130n;

/**
 * Makes the function that brings signed authorizations on the chain. It never throws: what cannot
 * be told is `unknown`. Calls for one authorization at one time share one transaction; a later
 * call finds the first one's transaction on the chain.
 */
export function settler(
  chain: OpenChain,
  lookUp: LookUp,
): (signed: SignedAuthorization) => Promise<TransferOutcome> {
  const running = new Map<string, Promise<TransferOutcome>>();
  return (signed) => {
    const key = JSON.stringify(signed);
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const outcome = settle(chain, lookUp, signed).finally(() => running.delete(key));
    running.set(key, outcome);
    return outcome;
  };
}

async function settle(
  chain: OpenChain,
  lookUp: LookUp,
  signed: SignedAuthorization,
): Promise<TransferOutcome> {
  let transaction: Hex | null = null;
  try {
    const data = transferCall(signed);
    const estimate = await estimateGas(chain, data);
    if (!estimate.ok) return await refused(lookUp, signed, estimate.refusal);
    const gas = (BigInt(estimate.result) * GAS_PERCENT) / 100n;
    const key = authorizationKey(signed.authorization);
    const sent = await chain.relayer.send({ to: chain.token, data, gas, key });
    if (sent.state === 'refused') return await refused(lookUp, signed, sent.refusal);
    if (sent.state === 'unsent') return unknown(null, sent.detail);
    transaction = sent.hash;
    if (sent.state === 'unknown') return unknown(transaction, sent.detail);
    const { rpc, patience, confirmations } = chain;
    const receipt = await awaitConfirmed(rpc, sent.hash, { ...patience, confirmations });
    if (receipt === undefined) {
      // It may have left the chain again, and with it the nonces that were counted on.
      chain.relayer.forgetNonce();
      await unstuck(chain);
      return unknown(transaction, 'no receipt in time');
    }
    if (hasSucceeded(receipt)) {
      return { state: 'settled', transaction: sent.hash, block: Number(receipt.blockNumber) };
    }
    const again = await estimateGas(chain, data);
    const refusal = again.ok ? { message: 'reverted', data: undefined } : again.refusal;
    return await refused(lookUp, signed, refusal);
  } catch (thrown) {
    return unknown(transaction, toAppError(thrown).message);
  }
}

/**
 * Runs the call without sending it: a refusal costs no gas and says why. A chain of our own makes
 * blocks on demand only, so that the time of its last one may be long past. On a chain of others
 * the same call may wait in the block to come, where it would count as spent.
 */
function estimateGas({ rpc, accounts, token, isLocal }: OpenChain, data: Hex) {
  const call = { from: accounts.operator.address, to: token, data };
  return estimatePartyGas(rpc, call, isLocal ? 'pending' : 'latest');
}

async function refused(
  lookUp: LookUp,
  { authorization }: SignedAuthorization,
  refusal: RpcRefusal,
): Promise<TransferOutcome> {
  const fault = gasLimitFault(refusal.message) ?? refusalFault(refusal);
  if (fault.code !== 'PAYMENT_REPLAYED') return { state: 'failed', fault };
  // Spent already: by an earlier try of ours, or by anyone who sent the same authorization.
  const found = await lookUp(authorization);
  return found.state === 'unspent' ? unknown(null, 'the chain gives two answers') : found;
}

function unknown(transaction: Hex | null, detail: string): TransferOutcome {
  return { state: 'unknown', transaction, detail };
}
