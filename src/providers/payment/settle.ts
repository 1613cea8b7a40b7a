import type { Hex } from 'viem';
import { toAppError } from '../../domain/common/error.ts';
import type { PaymentPayload } from '../../domain/payment/payment.ts';
import type { PaymentFault, TransferOutcome } from '../../domain/payment/payment-chain.ts';
import type { RpcRefusal } from '../chain/chain-rpc.ts';
import { findEarlier } from '../chain/earlier.ts';
import { fillGap } from '../chain/fill-gap.ts';
import { finalOf } from '../chain/finality.ts';
import type { OpenChain } from '../chain/local/local-chain.ts';
import type { LookUp } from '../chain/look-up.ts';
import { askPatiently } from '../chain/node-error.ts';
import { type GasPurpose, gasBudget } from '../chain/trust/gas-budgets.ts';
import { unstuck } from '../chain/unstick.ts';
import { estimatePartyGas, gasLimitFault, WALLET_GAS_MAX } from '../chain/wallet-contract.ts';
import { authorizationKey } from './authorization-key.ts';
import { isSameAddress } from './local-check.ts';
import { PayerLines } from './payer-lines.ts';
import { awaitConfirmed, gasSpent, hasSucceeded } from './receipts.ts';
import { refusalFault, transferCall } from './token.ts';

/** A signed authorization, whoever signed it. */
export type SignedAuthorization = PaymentPayload['payload'];

/** Factor above the estimate: balances change between estimate and block. */
const GAS_FACTOR = 1.3;

/** The dependencies of settlements. */
export interface SettleParts {
  readonly chain: OpenChain;
  readonly lookUp: LookUp;
  /** Returns whether the payer's contract wallet confirms the signature, at the current fees. */
  readonly isVouched: (signed: SignedAuthorization) => Promise<boolean>;
  /** Returns whether the payer's own key signed. */
  readonly isByKey: (signed: SignedAuthorization) => boolean;
  readonly balanceOf: (owner: string) => Promise<bigint>;
}

interface Addressed {
  readonly address: string;
}

/** Returns the gas account that pays for the settlement of an authorization. */
export function settlementGas(
  { accounts: { treasury } }: { readonly accounts: { readonly treasury: Addressed } },
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
export function settler(
  parts: SettleParts,
): (signed: SignedAuthorization) => Promise<TransferOutcome> {
  const running = new Map<string, Promise<TransferOutcome>>();
  const lines = new PayerLines();
  return (signed) => {
    const key = JSON.stringify(signed);
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const outcome = settle({ ...parts, lines }, signed).finally(() => running.delete(key));
    running.set(key, outcome);
    return outcome;
  };
}

interface Settling extends SettleParts {
  readonly lines: PayerLines;
}

async function settle(parts: Settling, signed: SignedAuthorization): Promise<TransferOutcome> {
  const { lines } = parts;
  const { authorization } = signed;
  const [payer, value] = [authorization.from.toLowerCase(), BigInt(authorization.value)];
  try {
    return await lines.counted({ payer, value }, async () => {
      const isAlone = lines.sum(payer) === value;
      const isCovered = isAlone || (await parts.balanceOf(payer)) >= lines.sum(payer);
      const act = () => tryAndSend(parts, signed);
      return isCovered ? lines.now(payer, act) : lines.inTurn(payer, act);
    });
  } catch (thrown) {
    return unknown(null, toAppError(thrown).message);
  }
}

async function tryAndSend(parts: Settling, signed: SignedAuthorization): Promise<TransferOutcome> {
  const { chain } = parts;
  const key = authorizationKey(signed.authorization);
  const earlier = await findEarlier(chain, key);
  if (earlier.state !== 'none') return before(parts, signed, earlier.row.hash as Hex);
  const isByKey = parts.isByKey(signed);
  const data = transferCall(signed, isByKey);
  const estimate = await askPatiently(() => estimateGas(parts, signed, data));
  if (!estimate.ok) return refused(parts, signed, estimate.refusal);
  if (!isByKey && !(await parts.isVouched(signed))) {
    return undecided(parts, signed, unvouchedFault(signed.authorization.from));
  }
  return send(parts, signed, { data, estimate: Number(estimate.result) });
}

async function send(
  parts: Settling,
  signed: SignedAuthorization,
  { data, estimate }: { readonly data: Hex; readonly estimate: number },
): Promise<TransferOutcome> {
  const { chain } = parts;
  const account = settlementGas(chain, signed, parts.isByKey(signed));
  const { gasPerCall } = gasBudget(account.purpose);
  const gas = Math.min(gasPerCall, Math.ceil(estimate * GAS_FACTOR));
  const key = authorizationKey(signed.authorization);
  const wei = BigInt(gas) * (await chain.fees()).maxFeePerGas;
  const fault = chain.gas.hold({ ...account, name: key, gas, wei });
  if (fault !== undefined) return undecided(parts, signed, fault);
  const sent = await chain.relayer.send({ to: chain.token, data, gas: BigInt(gas), key });
  if (sent.state === 'unsent') {
    chain.gas.settle(key, { gas: 0, wei: 0n, end: 'spent' });
    return unknown(null, sent.detail);
  }
  if (sent.state === 'unknown') return unknown(sent.hash, sent.detail);
  return landed(parts, signed, sent.hash);
}

/** Looks up an earlier transaction with this nonce, since it may have had other terms. */
async function before(
  parts: Settling,
  signed: SignedAuthorization,
  hash: Hex,
): Promise<TransferOutcome> {
  const outcome = await landed(parts, signed, hash);
  if (outcome.state !== 'settled') return outcome;
  const found = await parts.lookUp(signed.authorization);
  return found.state === 'unspent' ? unknown(hash, 'the chain contradicts itself') : found;
}

/** Waits for a transaction that was sent, now or earlier. */
async function landed(
  parts: Settling,
  signed: SignedAuthorization,
  hash: Hex,
): Promise<TransferOutcome> {
  const { chain } = parts;
  try {
    const { rpc, patience, confirmations } = chain;
    const receipt = await awaitConfirmed(rpc, hash, { ...patience, confirmations });
    if (receipt === undefined) {
      // It may have left the chain again, and with it the counted nonces.
      chain.relayer.forgetNonce();
      if ((await unstuck(chain)) === undefined) await fillGap(chain, hash);
      return unknown(hash, 'no receipt in time');
    }
    const isSettled = hasSucceeded(receipt);
    // A claim proves that a payment has arrived.
    const isByKey = parts.isByKey(signed);
    const isPaid = isSettled && settlementGas(chain, signed, isByKey).purpose !== 'refunds';
    const key = authorizationKey(signed.authorization);
    chain.gas.settle(key, { ...gasSpent(receipt), ...(isPaid ? { end: 'earned' } : {}) });
    if (isSettled) {
      chain.finality.tell(finalOf(receipt));
      return { state: 'settled', transaction: hash, block: Number(receipt.blockNumber) };
    }
    const again = await estimateGas(parts, signed, transferCall(signed, isByKey));
    const refusal = again.ok ? { message: 'reverted', data: undefined } : again.refusal;
    return await refused(parts, signed, refusal);
  } catch (thrown) {
    return unknown(hash, toAppError(thrown).message);
  }
}

/** Returns the fault for a contract wallet that does not confirm the signature within its gas. */
export function unvouchedFault(payer: string): PaymentFault {
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
async function estimateGas(
  { chain, isByKey }: SettleParts,
  signed: SignedAuthorization,
  data: Hex,
) {
  const { rpc, accounts, token, isLocal } = chain;
  const { gasPerCall: gasMax } = gasBudget(settlementGas(chain, signed, isByKey(signed)).purpose);
  const call = { from: accounts.operator.address, to: token, data, gasMax };
  const fees = await chain.fees();
  return estimatePartyGas(rpc, { ...call, fees }, isLocal ? 'pending' : 'latest');
}

/** Handles a revert, which reflects the state of one node: the chain is asked what it means. */
async function refused(
  parts: SettleParts,
  signed: SignedAuthorization,
  refusal: RpcRefusal,
): Promise<TransferOutcome> {
  const { gasPerCall } = gasBudget(
    settlementGas(parts.chain, signed, parts.isByKey(signed)).purpose,
  );
  const fault = gasLimitFault(refusal.message, gasPerCall) ?? refusalFault(refusal);
  return undecided(parts, signed, fault);
}

/**
 * Returns the outcome of an authorization that is not settled now. While it is unused and valid,
 * anyone may still submit it, so only the chain can decide.
 */
async function undecided(
  { lookUp }: SettleParts,
  { authorization }: SignedAuthorization,
  fault: PaymentFault,
): Promise<TransferOutcome> {
  const found = await lookUp(authorization);
  if (found.state !== 'unspent') return found;
  return { ...unknown(null, fault.message), fault };
}

function unknown(transaction: Hex | null, detail: string) {
  return { state: 'unknown', transaction, detail } as const;
}
