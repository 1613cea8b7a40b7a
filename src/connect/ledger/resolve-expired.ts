import type { ChainSettings } from '../bridge/chain-settings.ts';
import type { Ledger } from './ledger.ts';

/** Most payments checked on the chain per sweep. */
const CHECKS_MAX = 50;

/**
 * Checks expired payments on the chain. An unused one can never settle, so it stops counting
 * against the caps. Without an RPC URL of the chain, all of them keep counting.
 */
export async function resolveExpired(
  ledger: Ledger,
  setting: ChainSettings | undefined,
): Promise<void> {
  const look = setting?.reader;
  if (setting === undefined || look === undefined) return;
  for (const { reserved } of ledger.listExpired().slice(0, CHECKS_MAX)) {
    const { network, asset } = reserved.accepted;
    if (network !== setting.asset.network) continue;
    const { from, nonce } = reserved.authorization;
    const isSpent = await look.isSpent(asset, from, nonce);
    // If the chain does not answer once, it will not answer the next request either.
    if (isSpent === undefined) return;
    const outcome = isSpent ? 'settled' : 'released';
    ledger.recordOutcome(nonce, { outcome, code: null, refund: null, tx: null });
  }
}
