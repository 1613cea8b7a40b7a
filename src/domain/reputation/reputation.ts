import type { Reputation } from './view.ts';

/**
 * Gives the track record of a wallet, as the public feed says it now.
 *
 * @param wallet - In lower case. One that never worked has score 0 and badge `none`.
 */
export type ReputationOf = (wallet: string) => Promise<Reputation>;
