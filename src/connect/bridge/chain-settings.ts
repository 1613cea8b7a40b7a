import { AppError } from '../../domain/common/error.ts';
import { type MicroUsdText, toMoney } from '../../domain/common/money.ts';
import { type Caps, REAL_MONEY_CAPS, TEST_MONEY_CAPS } from '../ledger/caps.ts';
import type { ChainReader } from '../wallet/chain-reader.ts';
import type { PaymentAsset } from '../wallet/select-offer.ts';

/** The payment chain as currently known. */
export interface ChainSettings {
  readonly asset: PaymentAsset;
  /** Absent if no RPC URL of the chain is known. */
  readonly reader?: ChainReader;
  /** Sends test money to an address; local chain only. */
  readonly fund?: (to: string) => Promise<void>;
}

/** Caps from the command line; absent ones take the chain's default. */
export interface CapOverrides {
  readonly perCall?: MicroUsdText;
  readonly perDay?: MicroUsdText;
  readonly perTool: Caps['perTool'];
}

/** Returns the effective caps. Defaults are higher on the local chain, whose money is free. */
export function effectiveCaps(setting: ChainSettings | undefined, wanted: CapOverrides): Caps {
  const base = setting?.fund === undefined ? REAL_MONEY_CAPS : TEST_MONEY_CAPS;
  return {
    perCall: wanted.perCall ?? base.perCall,
    perDay: wanted.perDay ?? base.perDay,
    perTool: wanted.perTool,
  };
}

/**
 * Checks that the wallet holds an amount; on the local chain, funds it from the faucet.
 *
 * @throws {AppError} `PAYMENT_FUNDS` with the address to fund.
 */
export async function ensureFunds(
  setting: ChainSettings,
  address: string,
  amount: MicroUsdText,
): Promise<void> {
  const { reader, asset, fund } = setting;
  const readBalance = () => reader?.balanceOf(asset.asset, address);
  const before = await readBalance();
  if (before === undefined || before >= BigInt(amount)) return;
  await fund?.(address);
  const now = fund === undefined ? before : ((await readBalance()) ?? before);
  if (now >= BigInt(amount)) return;
  const [held, needed] = [toMoney(now.toString()), toMoney(amount)];
  throw new AppError('PAYMENT_FUNDS', {
    message:
      `The wallet ${address} holds $${held.amount}, but the call costs $${needed.amount}. ` +
      `It did not pay. Send stablecoin ${asset.asset} on ${asset.network} to it.`,
    data: { address, network: asset.network, asset: asset.asset, held, needed },
  });
}
