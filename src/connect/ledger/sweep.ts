import type { Setting } from '../bridge/setting.ts';
import type { Ledger } from './ledger.ts';

/** Most payments checked on the chain per sweep. */
const SWEEP_MAX = 50;

/**
 * Checks expired payments on the chain. An unused one can never settle, so it stops counting
 * against the caps. Without an RPC URL of the chain, all of them keep counting.
 */
export async function sweepLapsed(ledger: Ledger, setting: Setting | undefined): Promise<void> {
  const look = setting?.look;
  if (setting === undefined || look === undefined) return;
  for (const { reserved } of ledger.lapsed().slice(0, SWEEP_MAX)) {
    const { network, asset } = reserved.accepted;
    if (network !== setting.purse.network) continue;
    const { from, nonce } = reserved.authorization;
    const isSpent = await look.isSpent(asset, from, nonce);
    // If the chain does not answer once, it will not answer the next request either.
    if (isSpent === undefined) return;
    const outcome = isSpent ? 'settled' : 'released';
    ledger.end(nonce, { outcome, code: null, refund: null, tx: null });
  }
}
