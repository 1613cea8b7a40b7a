import type { Setting } from '../bridge/setting.ts';
import type { Ledger } from './ledger.ts';

/** Most payments that one sweep asks the chain about. */
const SWEEP_MAX = 50;

/**
 * Asks the chain about payments that have run out. One that was not used can never be: it no
 * longer counts against the caps. Without an address of the chain all of them go on counting.
 */
export async function sweepLapsed(ledger: Ledger, setting: Setting | undefined): Promise<void> {
  const look = setting?.look;
  if (setting === undefined || look === undefined) return;
  for (const { reserved } of ledger.lapsed().slice(0, SWEEP_MAX)) {
    const { network, asset } = reserved.accepted;
    if (network !== setting.purse.network) continue;
    const { from, nonce } = reserved.authorization;
    const isSpent = await look.isSpent(asset, from, nonce);
    // A chain that does not answer one question will not answer the next.
    if (isSpent === undefined) return;
    const outcome = isSpent ? 'settled' : 'released';
    ledger.end(nonce, { outcome, code: null, refund: null, tx: null });
  }
}
