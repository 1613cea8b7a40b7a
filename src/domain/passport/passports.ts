import type { PassportView } from './passport.ts';

/** Passports by whatever names them: for tools, pages and the payer binding. */
export interface Passports {
  /**
   * @param subject - A name, an ERC-8004 id (`eip155:…:…:N` or `N`), or a wallet.
   * @returns `undefined` for an agent that is not registered here.
   */
  find(subject: string): Promise<PassportView | undefined>;
}
