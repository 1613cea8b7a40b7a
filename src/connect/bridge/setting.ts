import { AppError } from '../../domain/common/error.ts';
import { type MicroUsdText, money } from '../../domain/common/money.ts';
import { type Caps, REAL_MONEY_CAPS, TEST_MONEY_CAPS } from '../ledger/caps.ts';
import type { ChainLook } from '../wallet/chain-look.ts';
import type { Purse } from '../wallet/challenge-check.ts';

/** The payment chain as currently known. */
export interface Setting {
  readonly purse: Purse;
  /** Absent if no RPC URL of the chain is known. */
  readonly look?: ChainLook;
  /** Sends test money to an address; local chain only. */
  readonly fund?: (to: string) => Promise<void>;
}

/** Caps from the command line; absent ones take the chain's default. */
export interface WantedCaps {
  readonly perCall?: MicroUsdText;
  readonly perDay?: MicroUsdText;
  readonly perTool: Caps['perTool'];
}

/** Returns the effective caps. Defaults are higher on the local chain, whose money is free. */
export function capsIn(setting: Setting | undefined, wanted: WantedCaps): Caps {
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
  setting: Setting,
  address: string,
  amount: MicroUsdText,
): Promise<void> {
  const { look, purse, fund } = setting;
  const holds = () => look?.balanceOf(purse.asset, address);
  const before = await holds();
  if (before === undefined || before >= BigInt(amount)) return;
  await fund?.(address);
  const now = fund === undefined ? before : ((await holds()) ?? before);
  if (now >= BigInt(amount)) return;
  const [held, needed] = [money(now.toString()), money(amount)];
  throw new AppError('PAYMENT_FUNDS', {
    message:
      `The wallet ${address} holds $${held.amount}, but the call costs $${needed.amount}. ` +
      `It did not pay. Send stablecoin ${purse.asset} on ${purse.network} to it.`,
    data: { address, network: purse.network, asset: purse.asset, held, needed },
  });
}
