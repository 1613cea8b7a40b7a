import type { Hex } from 'viem';
import { numberToHex } from 'viem/utils';
import type { Authorization, PaymentPayload } from '../../domain/payment/payment.ts';
import type { PaymentFault } from '../../domain/payment/payment-chain.ts';
import { type Belonging, replayFault } from '../chain/belonging.ts';
import type { Fees } from '../chain/fees.ts';
import type { OpenChain } from '../chain/local/local-chain.ts';
import { type SetAside, sumOf } from '../chain/local/set-aside.ts';
import { askPatiently } from '../chain/node-error.ts';
import { gasBudget } from '../chain/trust/gas-budgets.ts';
import { feeFields } from '../chain/wallet-contract.ts';
import { readAuthorizationUse } from './authorization-use.ts';
import { isSameAddress } from './local-check.ts';
import {
  type SettleParts,
  type SignedAuthorization,
  settlementGas,
  unvouchedFault,
} from './settle.ts';
import { refusalFault, type Token, transferCall } from './token.ts';

/** The dependencies of payment checks. */
export interface CheckParts {
  readonly chain: OpenChain;
  readonly token: Token;
  readonly mayBeOurs: Belonging['mayBeOurs'];
  readonly isVouched: SettleParts['isVouched'];
  readonly aside: SetAside;
}

/** Most pending payments of one payer whose state is read. Any beyond that count as unpaid. */
const OTHERS_ASKED_MAX = 64;

/**
 * Checks that the chain would accept a payment now, by simulating its transfer, and reserves the
 * amount. A payment that fails is rejected before any work starts.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function checkOnChain(
  parts: CheckParts,
  { payload }: PaymentPayload,
): Promise<PaymentFault | undefined> {
  const { chain, token, mayBeOurs, isVouched } = parts;
  const { from, to, nonce, value } = payload.authorization;
  const isForTreasury = isSameAddress(to, chain.accounts.treasury.address);
  // Money for the escrow may be signed in another form, which the caller has checked.
  const isByKey = !isForTreasury || token.isByKey(payload);
  const account = settlementGas(chain, payload, isByKey);
  const { gasPerCall } = gasBudget(account.purpose);
  const fees = isByKey ? undefined : await chain.fees();
  // Started in one tick, so they share one request.
  const [isSpent, balance, trial, isSigned] = await Promise.all([
    token.isSpent(from, nonce),
    token.balanceOf(from),
    isForTreasury
      ? askPatiently(() => tryTransfer(chain, token, { payload, fees, gas: gasPerCall }))
      : undefined,
    isByKey || isVouched(payload),
  ]);
  if (isSpent) {
    return (await mayBeOurs(payload.authorization)) ? undefined : replayFault();
  }
  if (balance < BigInt(value)) return fundsFault(payload.authorization, balance, 0n);
  const refused = trial?.ok === false ? refusalFault(trial.refusal) : undefined;
  // The times were checked already, and the newest block may be older than the payment.
  const isOldBlock = isByKey && refused?.code === 'PAYMENT_EXPIRED';
  if (refused !== undefined && !isOldBlock) return refused;
  if (!isSigned) return unvouchedFault(from);
  // Money for the escrow is not settled here; its gas has a separate budget.
  const over = isForTreasury ? refuseGas(chain, { ...account, gas: gasPerCall, fees }) : undefined;
  return over ?? setAside(parts, payload.authorization, balance);
}

interface GasAsked extends ReturnType<typeof settlementGas> {
  readonly gas: number;
  readonly fees: Fees | undefined;
}

function refuseGas({ gas }: OpenChain, { fees, ...asked }: GasAsked): PaymentFault | undefined {
  return gas.refuses({ ...asked, wei: BigInt(asked.gas) * (fees?.maxFeePerGas ?? 0n) });
}

/** Reserves the amount unless the payer's other pending payments need the money. */
async function setAside(
  { chain, token, aside }: CheckParts,
  authorization: Authorization,
  balance: bigint,
): Promise<PaymentFault | undefined> {
  const needed = BigInt(authorization.value);
  const others = aside.others(authorization);
  if (balance >= needed + sumOf(others)) {
    aside.begin(authorization);
    return undefined;
  }
  // Some may be paid already, so balance and states are read from one block.
  const block = await chain.rpc.call<Hex>('eth_blockNumber', []);
  const [left, ...uses] = await Promise.all([
    token.balanceOf(authorization.from, block),
    ...others
      .slice(0, OTHERS_ASKED_MAX)
      .map((other) => readAuthorizationUse(chain.rpc, token.address, other, block)),
  ]);
  const paid = new Set(others.filter((_other, at) => uses[at]?.isUsed === true));
  // No await from here on, so payments that arrived meanwhile are counted.
  const promised = sumOf(aside.others(authorization).filter((other) => !paid.has(other)));
  if (left < needed + promised) return fundsFault(authorization, left, promised);
  aside.begin(authorization);
  return undefined;
}

function fundsFault({ value }: Authorization, balance: bigint, promised: bigint): PaymentFault {
  const isPromised = promised > 0n;
  return {
    code: 'PAYMENT_FUNDS',
    message: isPromised
      ? "The payer's balance does not cover this amount and its other pending payments."
      : "The payer's balance is too low for this amount.",
    data: {
      ...{ balance: balance.toString(), needed: value },
      ...(isPromised ? { under_way: promised.toString() } : {}),
    },
  };
}

/** Simulates the settling call in the context of its later transaction. */
function tryTransfer(
  { rpc, accounts, isLocal }: OpenChain,
  token: Token,
  trial: {
    readonly payload: SignedAuthorization;
    /** The fees, if a contract wallet signed: it may depend on them. */
    readonly fees: Fees | undefined;
    readonly gas: number;
  },
) {
  const { payload, fees, gas } = trial;
  const call = {
    ...{
      from: accounts.operator.address,
      to: token.address,
      data: transferCall(payload, fees === undefined),
    },
    ...(fees === undefined ? {} : { gas: numberToHex(gas), ...feeFields(fees) }),
  };
  return rpc.ask<Hex>('eth_call', [call, isLocal ? 'pending' : 'latest']);
}
