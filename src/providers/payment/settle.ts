import type { Hex } from 'viem';
import { toAppError } from '../../domain/common/error.ts';
import type { PaymentPayload } from '../../domain/payment/payment.ts';
import type { PaymentFailure, TransferOutcome } from '../../domain/payment/payment-chain.ts';
import type { AuthorizationLookup } from '../chain/authorization-lookup.ts';
import type { RpcRefusal } from '../chain/chain-rpc.ts';
import { findEarlier } from '../chain/earlier-transaction.ts';
import { fillGap } from '../chain/fill-gap.ts';
import { toFinalTransaction } from '../chain/finality.ts';
import { askWithRetries } from '../chain/node-error.ts';
import type { OpenChain } from '../chain/open-chain.ts';
import { replaceStuckAndCharge } from '../chain/replace-stuck.ts';
import { type GasPurpose, gasBudget } from '../chain/trust/gas-budgets.ts';
import { estimatePartyGas, gasLimitFault, WALLET_GAS_MAX } from '../chain/wallet-contract.ts';
import { authorizationKey } from './authorization-key.ts';
import { isSameAddress } from './local-check.ts';
import { PayerQueues } from './payer-queue.ts';
import { awaitConfirmed, hasSucceeded, toGasResult } from './receipts.ts';
import { encodeTransfer, toPaymentFault } from './token.ts';

/** A signed authorization, whoever signed it. */
export type SignedAuthorization = PaymentPayload['payload'];

/** Factor above the estimate: balances change between estimate and block. */
const GAS_FACTOR = 1.3;

/** The dependencies of settlements. */
export interface SettleDeps {
  readonly chain: OpenChain;
  readonly lookUp: AuthorizationLookup;
  /** Returns whether the payer's contract wallet confirms the signature, at the current fees. */
  readonly isConfirmedByWallet: (signed: SignedAuthorization) => Promise<boolean>;
  /** Returns whether the payer's own key signed. */
  readonly isByKey: (signed: SignedAuthorization) => boolean;
  readonly balanceOf: (owner: string) => Promise<bigint>;
}

interface WithAddress {
  readonly address: string;
}

/** Returns the gas account that pays for the settlement of an authorization. */
export function settlementGasAccount(
  { accounts: { treasury } }: { readonly accounts: { readonly treasury: WithAddress } },
  { authorization: { from, to } }: Pick<SignedAuthorization, 'authorization'>,
  isByKey: boolean,
): { readonly purpose: GasPurpose; readonly wallet?: string } {
  if (isSameAddress(from, treasury.address)) {
    return { purpose: isSameAddress(to, from) ? 'claims' : 'refunds' };
  }
  return {
    purpose: isByKey ? 'settlement' : 'contract_settlement',
    wallet: from,
  };
}

/**
 * Creates the function that settles signed authorizations. It never throws: an undecidable outcome
 * is `unknown`. Concurrent calls for one authorization share one transaction. A later call finds
 * the earlier transaction on the chain.
 */
export function createSettler(
  parts: SettleDeps,
): (signed: SignedAuthorization) => Promise<TransferOutcome> {
  const running = new Map<string, Promise<TransferOutcome>>();
  const lines = new PayerQueues();
  return (signed) => {
    const key = JSON.stringify(signed);
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const outcome = settle({ ...parts, payerQueues: lines }, signed).finally(() =>
      running.delete(key),
    );
    running.set(key, outcome);
    return outcome;
  };
}

interface SettleContext extends SettleDeps {
  readonly payerQueues: PayerQueues;
}

async function settle(parts: SettleContext, signed: SignedAuthorization): Promise<TransferOutcome> {
  const { payerQueues } = parts;
  const { authorization } = signed;
  const [payer, value] = [authorization.from.toLowerCase(), BigInt(authorization.value)];
  try {
    return await payerQueues.runCounted({ payer, value }, async () => {
      const isAlone = payerQueues.sum(payer) === value;
      const isCovered = isAlone || (await parts.balanceOf(payer)) >= payerQueues.sum(payer);
      const act = () => simulateAndSend(parts, signed);
      return isCovered ? payerQueues.runNow(payer, act) : payerQueues.runExclusively(payer, act);
    });
  } catch (thrown) {
    return unknownOutcome(null, toAppError(thrown).message);
  }
}

async function simulateAndSend(
  parts: SettleContext,
  signed: SignedAuthorization,
): Promise<TransferOutcome> {
  const { chain } = parts;
  const key = authorizationKey(signed.authorization);
  const earlier = await findEarlier(chain, key);
  if (earlier.state !== 'none') return settleEarlier(parts, signed, earlier.row.hash as Hex);
  const isByKey = parts.isByKey(signed);
  const data = encodeTransfer(signed, isByKey);
  const estimate = await askWithRetries(() => estimateGas(parts, signed, data));
  if (!estimate.ok) return resolveRevert(parts, signed, estimate.refusal);
  if (!isByKey && !(await parts.isConfirmedByWallet(signed))) {
    return resolveUndecided(parts, signed, unconfirmedSignatureFault(signed.authorization.from));
  }
  return sendSettlement(parts, signed, { data, estimate: Number(estimate.result) });
}

async function sendSettlement(
  parts: SettleContext,
  signed: SignedAuthorization,
  { data, estimate }: { readonly data: Hex; readonly estimate: number },
): Promise<TransferOutcome> {
  const { chain } = parts;
  const account = settlementGasAccount(chain, signed, parts.isByKey(signed));
  const { gasPerCall } = gasBudget(account.purpose);
  const gas = Math.min(gasPerCall, Math.ceil(estimate * GAS_FACTOR));
  const key = authorizationKey(signed.authorization);
  const wei = BigInt(gas) * (await chain.fees()).maxFeePerGas;
  const fault = chain.gas.hold({ ...account, name: key, gas, wei });
  if (fault !== undefined) return resolveUndecided(parts, signed, fault);
  const sent = await chain.relayer.send({ to: chain.token, data, gas: BigInt(gas), key });
  if (sent.state === 'unsent') {
    chain.gas.settle(key, { gas: 0, wei: 0n, end: 'spent' });
    return unknownOutcome(null, sent.detail);
  }
  if (sent.state === 'unknown') return unknownOutcome(sent.hash, sent.detail);
  return awaitSettlement(parts, signed, sent.hash);
}

/** Looks up an earlier transaction with this nonce, since it may have had other terms. */
async function settleEarlier(
  parts: SettleContext,
  signed: SignedAuthorization,
  hash: Hex,
): Promise<TransferOutcome> {
  const outcome = await awaitSettlement(parts, signed, hash);
  if (outcome.state !== 'settled') return outcome;
  const found = await parts.lookUp(signed.authorization);
  return found.state === 'unspent' ? unknownOutcome(hash, 'the chain contradicts itself') : found;
}

/** Waits for a transaction that was sent, now or earlier. */
async function awaitSettlement(
  parts: SettleContext,
  signed: SignedAuthorization,
  hash: Hex,
): Promise<TransferOutcome> {
  const { chain } = parts;
  try {
    const { rpc, patience, confirmations } = chain;
    const receipt = await awaitConfirmed(rpc, hash, { ...patience, confirmations });
    if (receipt === undefined) {
      // It may have left the chain again, and with it the counted nonces.
      chain.relayer.resetNonce();
      if ((await replaceStuckAndCharge(chain)) === undefined) await fillGap(chain, hash);
      return unknownOutcome(hash, 'no receipt in time');
    }
    const isSettled = hasSucceeded(receipt);
    // A claim proves that a payment has arrived.
    const isByKey = parts.isByKey(signed);
    const isPaid = isSettled && settlementGasAccount(chain, signed, isByKey).purpose !== 'refunds';
    const key = authorizationKey(signed.authorization);
    chain.gas.settle(key, { ...toGasResult(receipt), ...(isPaid ? { end: 'earned' } : {}) });
    if (isSettled) {
      chain.finality.report(toFinalTransaction(receipt));
      return { state: 'settled', transaction: hash, block: Number(receipt.blockNumber) };
    }
    const repeatedEstimate = await estimateGas(parts, signed, encodeTransfer(signed, isByKey));
    const refusal = repeatedEstimate.ok
      ? { message: 'reverted', data: undefined }
      : repeatedEstimate.refusal;
    return await resolveRevert(parts, signed, refusal);
  } catch (thrown) {
    return unknownOutcome(hash, toAppError(thrown).message);
  }
}

/** Returns the fault for a contract wallet that does not confirm the signature within its gas. */
export function unconfirmedSignatureFault(payer: string): PaymentFailure {
  return {
    code: 'PAYMENT_FORGED',
    message: `The payer's contract did not confirm the signature within ${WALLET_GAS_MAX} gas.`,
    data: { payer, allowed: { gas: Number(WALLET_GAS_MAX) } },
  };
}

/**
 * Simulates the call without sending it: a revert costs no gas and gives the reason. An embedded
 * chain makes blocks only on demand, so its last block may be old. On a remote chain the same call
 * may be pending and would appear as spent in the pending block.
 */
async function estimateGas({ chain, isByKey }: SettleDeps, signed: SignedAuthorization, data: Hex) {
  const { rpc, accounts, token, isLocal } = chain;
  const { gasPerCall: gasMax } = gasBudget(
    settlementGasAccount(chain, signed, isByKey(signed)).purpose,
  );
  const call = { from: accounts.operator.address, to: token, data, gasMax };
  const fees = await chain.fees();
  return estimatePartyGas(rpc, { ...call, fees }, isLocal ? 'pending' : 'latest');
}

/** Handles a revert, which reflects the state of one node: the chain is asked what it means. */
async function resolveRevert(
  parts: SettleDeps,
  signed: SignedAuthorization,
  refusal: RpcRefusal,
): Promise<TransferOutcome> {
  const { gasPerCall } = gasBudget(
    settlementGasAccount(parts.chain, signed, parts.isByKey(signed)).purpose,
  );
  const fault = gasLimitFault(refusal.message, gasPerCall) ?? toPaymentFault(refusal);
  return resolveUndecided(parts, signed, fault);
}

/**
 * Returns the outcome of an authorization that is not settled now. While it is unused and valid,
 * anyone may still submit it, so only the chain can decide.
 */
async function resolveUndecided(
  { lookUp }: SettleDeps,
  { authorization }: SignedAuthorization,
  fault: PaymentFailure,
): Promise<TransferOutcome> {
  const found = await lookUp(authorization);
  if (found.state !== 'unspent') return found;
  return { ...unknownOutcome(null, fault.message), fault };
}

function unknownOutcome(transaction: Hex | null, detail: string) {
  return { state: 'unknown', transaction, detail } as const;
}
