import type { PassportView } from './passport.ts';

/** Finds passports for tools, pages and payer binding. */
export interface Passports {
  /**
   * @param subject - A name, an ERC-8004 id (`eip155:…:…:N` or `N`), or a wallet.
   * @returns `undefined` for an agent that is not registered here.
   */
  find(subject: string): Promise<PassportView | undefined>;
}
