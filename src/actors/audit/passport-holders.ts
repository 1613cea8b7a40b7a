import {
  createPassportConsentRequest,
  type PassportScope,
} from '../../domain/audit/passport-consent.ts';
import { AppError } from '../../domain/common/error.ts';
import type { PassportView } from '../../domain/passport/passport.ts';
import type { Passports } from '../../domain/passport/passports.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';

/** The caller's claim to hold a passport. */
export interface PassportClaim {
  /** A name, `N`, or `eip155:<chain>:<registry>:N`. */
  readonly passport: string;
  /** The `stoa-wallet` header, signed over {@link createPassportConsentRequest}. */
  readonly stoa_wallet: string;
}

/** Verifies that the buyer of an audit holds a passport. */
export interface PassportHolders {
  /**
   * @returns The full passport id, `eip155:<chain>:<registry>:N`.
   * @throws {AppError} `WALLET_FORGED`, `WALLET_EXPIRED`, `WALLET_NONCE_USED`; `AUDIT_UNPROVEN` if
   *   the passport is unknown, revoked, or held by another wallet
   */
  prove(claim: PassportClaim, scope: PassportScope): Promise<string>;
}

/** Verifies holders by the signature of the wallet that is bound to the passport or owns it. */
export function createPassportHolders({
  wallets,
  passports,
}: {
  readonly wallets: WalletAuth;
  readonly passports: Passports;
}): PassportHolders {
  return {
    prove: async ({ passport, stoa_wallet: header }, scope) => {
      const { method, path, body } = createPassportConsentRequest(scope);
      const { wallet } = await wallets.prove({ method, path, body, header });
      const view = await passports.find(passport);
      if (view === undefined) throw notHeldError('This passport is not registered here.', passport);
      if (view.status !== 'active') throw notHeldError('The passport is revoked.', passport);
      if (!isHolder(view, wallet))
        throw notHeldError('Another wallet holds the passport.', passport);
      return view.agent_id;
    },
  };
}

function isHolder({ wallet, owner, custody }: PassportView, asker: string): boolean {
  if (wallet !== null) return wallet.toLowerCase() === asker;
  return custody === 'self' && owner.toLowerCase() === asker;
}

function notHeldError(message: string, received: string): AppError {
  return new AppError('AUDIT_UNPROVEN', { message, data: { path: 'consent.passport', received } });
}
