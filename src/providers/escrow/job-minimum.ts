import type { MicroUsdText } from '../../domain/common/money.ts';
import type { OpenChain } from '../chain/open-chain.ts';
import { ESCROW_FEE_BPS } from './escrow-encoding.ts';

/** Gas of a job from funding to release, on our own escrow contract. */
export const JOB_GAS = 450_000n;
/** Minimum budget where gas is free, in micro-dollars: one cent. */
export const JOB_MIN_MICRO_USD = 10_000n;
/** Price of the coin that pays for gas, in dollars, if the operator sets none. */
export const GAS_COIN_USD = 4_000;

const WEI = 10n ** 18n;
const MICRO = 1_000_000n;
const WHOLE_BPS = 10_000n;

/**
 * Returns the minimum budget of a job whose fee covers its gas, at the current network fees.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE` when no node answers
 */
export async function readJobMinimum({
  fees,
  isLocal,
  gasCoinUsd,
}: Pick<OpenChain, 'fees' | 'isLocal' | 'gasCoinUsd'>): Promise<MicroUsdText> {
  if (isLocal) return JOB_MIN_MICRO_USD.toString();
  const { maxFeePerGas } = await fees();
  const cost = JOB_GAS * maxFeePerGas * BigInt(gasCoinUsd) * MICRO;
  const least = divideRoundingUp(cost * WHOLE_BPS, WEI * BigInt(ESCROW_FEE_BPS));
  return (least > JOB_MIN_MICRO_USD ? least : JOB_MIN_MICRO_USD).toString();
}

function divideRoundingUp(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit;
}
