import type { Hex } from 'viem';
import { numberToHex } from 'viem/utils';
import type { Authorization, PaymentPayload } from '../../domain/payment/payment.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { AuthorizationLookup } from '../chain/authorization-lookup.ts';
import type { Fees } from '../chain/fees.ts';
import { type FundReservations, sumPayments } from '../chain/local/fund-reservations.ts';
import { askWithRetries } from '../chain/node-error.ts';
import type { OpenChain } from '../chain/open-chain.ts';
import { type PaymentOwnership, replayFault } from '../chain/payment-ownership.ts';
import { gasBudget } from '../chain/trust/gas-budgets.ts';
import { feeFields } from '../chain/wallet-contract.ts';
import { readAuthorizationState } from './authorization-use.ts';
import type { Facilitator } from './facilitator.ts';
import { isSameAddress } from './local-check.ts';
import {
  type SettleDeps,
  type SignedAuthorization,
  settlementGasAccount,
  unconfirmedSignatureFault,
} from './settle.ts';
import { encodeTransfer, type Token, toPaymentFault } from './token.ts';

/** The dependencies of payment checks. */
export interface PaymentCheckDeps {
  readonly chain: OpenChain;
  readonly token: Token;
  readonly mayBeOurs: PaymentOwnership['isClaimable'];
  readonly isConfirmedByWallet: SettleDeps['isConfirmedByWallet'];
  readonly aside: FundReservations;
  readonly lookUp: AuthorizationLookup;
  /** Asked last, if payments are settled by one. */
  readonly facilitator: Pick<Facilitator, 'verify'> | undefined;
}

/** Most pending payments of one payer whose state is read. Any beyond that count as unpaid. */
const PENDING_CHECKS_MAX = 64;

/**
 * Checks that the chain would accept a payment now, by simulating its transfer, and reserves the
 * amount. A payment that fails is rejected before any work starts.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`, `FACILITATOR_UNAVAILABLE`
 */
export async function checkOnChain(
  parts: PaymentCheckDeps,
  presented: PaymentPayload,
): Promise<PaymentFailure | undefined> {
  const { payload } = presented;
  const { chain, token, mayBeOurs, isConfirmedByWallet } = parts;
  const { from, to, nonce, value } = payload.authorization;
  const isForTreasury = isSameAddress(to, chain.accounts.treasury.address);
  // Money for the escrow may be signed in another form, which the caller has checked.
  const isByKey = !isForTreasury || token.isByKey(payload);
  const account = settlementGasAccount(chain, payload, isByKey);
  const { gasPerCall } = gasBudget(account.purpose);
  const fees = isByKey ? undefined : await chain.fees();
  // Started in one tick, so they share one request.
  const [isSpent, balance, trial, isSigned] = await Promise.all([
    token.isSpent(from, nonce),
    token.balanceOf(from),
    isForTreasury
      ? askWithRetries(() => simulateTransfer(chain, token, { payload, fees, gas: gasPerCall }))
      : undefined,
    isByKey || isConfirmedByWallet(payload),
  ]);
  if (isSpent) {
    return (await mayBeOurs(payload.authorization)) ? undefined : replayFault();
  }
  if (balance < BigInt(value)) return fundsFault(payload.authorization, balance, 0n);
  const refused = trial?.ok === false ? toPaymentFault(trial.refusal) : undefined;
  // The times were checked already, and the newest block may be older than the payment.
  const isOldBlock = isByKey && refused?.code === 'PAYMENT_EXPIRED';
  if (refused !== undefined && !isOldBlock) return refused;
  if (!isSigned) return unconfirmedSignatureFault(from);
  // Money for the escrow is not settled here; its gas has a separate budget.
  const rejected = isForTreasury
    ? await checkSettlement(parts, presented, { ...account, gas: gasPerCall, fees })
    : undefined;
  return rejected ?? reserveFunds(parts, payload.authorization, balance);
}

/** Checks that the payment can be settled: within the gas budget, or by the facilitator. */
async function checkSettlement(
  { chain, facilitator, lookUp }: PaymentCheckDeps,
  presented: PaymentPayload,
  asked: GasRequest,
): Promise<PaymentFailure | undefined> {
  if (facilitator === undefined) return checkGasBudget(chain, asked);
  const rejected = await facilitator.verify(presented);
  if (rejected === undefined) return undefined;
  // What was just spent is a replay: a rejection must not read as "nothing was charged".
  const found = await lookUp(presented.payload.authorization);
  return found.state === 'unspent' || found.state === 'failed' ? rejected : replayFault();
}

interface GasRequest extends ReturnType<typeof settlementGasAccount> {
  readonly gas: number;
  readonly fees: Fees | undefined;
}

function checkGasBudget(
  { gas }: OpenChain,
  { fees, ...asked }: GasRequest,
): PaymentFailure | undefined {
  return gas.checkBudget({ ...asked, wei: BigInt(asked.gas) * (fees?.maxFeePerGas ?? 0n) });
}

/** Reserves the amount unless the payer's other pending payments need the money. */
async function reserveFunds(
  { chain, token, aside }: PaymentCheckDeps,
  authorization: Authorization,
  balance: bigint,
): Promise<PaymentFailure | undefined> {
  const needed = BigInt(authorization.value);
  const pendingPayments = aside.othersOfPayer(authorization);
  if (balance >= needed + sumPayments(pendingPayments)) {
    aside.reserve(authorization);
    return undefined;
  }
  // Some may be paid already, so balance and states are read from one block.
  const block = await chain.rpc.call<Hex>('eth_blockNumber', []);
  const [balanceAtBlock, ...uses] = await Promise.all([
    token.balanceOf(authorization.from, block),
    ...pendingPayments
      .slice(0, PENDING_CHECKS_MAX)
      .map((other) => readAuthorizationState(chain.rpc, token.address, other, block)),
  ]);
  const paid = new Set(pendingPayments.filter((_other, at) => uses[at]?.isUsed === true));
  // No await from here on, so payments that arrived meanwhile are counted.
  const promised = sumPayments(
    aside.othersOfPayer(authorization).filter((other) => !paid.has(other)),
  );
  if (balanceAtBlock < needed + promised)
    return fundsFault(authorization, balanceAtBlock, promised);
  aside.reserve(authorization);
  return undefined;
}

function fundsFault({ value }: Authorization, balance: bigint, promised: bigint): PaymentFailure {
  const isPromised = promised > 0n;
  return {
    code: 'PAYMENT_FUNDS',
    message: isPromised
      ? "The payer's balance does not cover this amount and its other pending payments."
      : "The payer's balance is too low for this amount.",
    data: {
      balance: balance.toString(),
      needed: value,
      ...(isPromised ? { under_way: promised.toString() } : {}),
    },
  };
}

/** Simulates the settling call in the context of its later transaction. */
function simulateTransfer(
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
    from: accounts.operator.address,
    to: token.address,
    data: encodeTransfer(payload, fees === undefined),
    ...(fees === undefined ? {} : { gas: numberToHex(gas), ...feeFields(fees) }),
  };
  return rpc.ask<Hex>('eth_call', [call, isLocal ? 'pending' : 'latest']);
}
