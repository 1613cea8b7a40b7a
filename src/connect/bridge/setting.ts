import { AppError } from '../../domain/common/error.ts';
import { type MicroUsdText, money } from '../../domain/common/money.ts';
import { type Caps, REAL_MONEY_CAPS, TEST_MONEY_CAPS } from '../ledger/caps.ts';
import type { ChainLook } from '../wallet/chain-look.ts';
import type { Purse } from '../wallet/challenge-check.ts';

/** What is known of the chain that is paid on, at this moment. */
export interface Setting {
  readonly purse: Purse;
  /** Absent where no address of the chain is known. */
  readonly look?: ChainLook;
  /** Gives test money to an address; only on the local chain. */
  readonly fund?: (to: string) => Promise<void>;
}

/** Caps that were told; those that were not are the defaults of the chain. */
export interface WantedCaps {
  readonly perCall?: MicroUsdText;
  readonly perDay?: MicroUsdText;
  readonly perTool: Caps['perTool'];
}

/** The caps that hold: small where money is worth something, enough to try things where not. */
export function capsIn(setting: Setting | undefined, wanted: WantedCaps): Caps {
  const base = setting?.fund === undefined ? REAL_MONEY_CAPS : TEST_MONEY_CAPS;
  return {
    perCall: wanted.perCall ?? base.perCall,
    perDay: wanted.perDay ?? base.perDay,
    perTool: wanted.perTool,
  };
}

/**
 * Makes sure that the wallet holds an amount; on the local chain the faucet fills it.
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
      `The wallet ${address} holds $${held.amount} and the call costs $${needed.amount}. ` +
      `Send the stablecoin ${purse.asset} to it on ${purse.network}. Nothing was paid.`,
    data: { address, network: purse.network, asset: purse.asset, held, needed },
  });
}
