import type { Reputation } from './view.ts';

/**
 * Returns the current track record of a wallet from the public feed.
 *
 * @param wallet - In lower case. An unknown wallet has score 0 and badge `none`.
 */
export type ReadReputation = (wallet: string) => Promise<Reputation>;
