import { AppError } from '../../domain/common/error.ts';
import { isCoveredBy } from '../../domain/passport/delegation-chain.ts';
import type { DelegationChain, Delegations } from '../../domain/passport/delegations.ts';

/** Scope that a delegate needs in order to file an arbitration for a party. */
export const ARBITRATE_SCOPE = 'jobs.arbitrate';

/** The paying wallet and the delegation that it names, if any. */
interface Filer {
  readonly payer: string;
  readonly delegationId: string | undefined;
}

/**
 * Throws unless the payer is a party of the job or its delegate. The payment signature proves the
 * wallet.
 *
 * @throws {AppError} `NOT_THE_PARTY`, `DELEGATION_UNKNOWN`, `DELEGATION_INVALID`
 */
export async function assertParty(
  delegations: Pick<Delegations, 'verifyChain'>,
  { payer, delegationId }: Filer,
  parties: { readonly buyer: string; readonly provider: string },
): Promise<void> {
  const wallet = payer.toLowerCase();
  const own = [parties.buyer.toLowerCase(), parties.provider.toLowerCase()];
  if (delegationId === undefined) {
    if (own.includes(wallet)) return;
    throw notThePartyError(wallet, own, 'Pay from one of these wallets or name its delegation.');
  }
  const chain = await delegations.verifyChain(delegationId);
  if (!own.includes(chain.delegator)) {
    throw notThePartyError(chain.delegator, own, 'Another wallet granted this delegation.');
  }
  if (chain.delegate !== wallet) {
    throw notThePartyError(wallet, [chain.delegate], 'The delegation is for another wallet.');
  }
  assertValidDelegation(chain);
}

function assertValidDelegation({ is_valid, faults, scope }: DelegationChain): void {
  if (!is_valid) {
    throw new AppError('DELEGATION_INVALID', {
      message: `The delegation is invalid: ${faults[0]?.says}.`,
      data: { broken: faults },
    });
  }
  if (scope.some((allowed) => isCoveredBy(allowed, ARBITRATE_SCOPE))) return;
  throw new AppError('DELEGATION_INVALID', {
    message: `The delegation does not allow "${ARBITRATE_SCOPE}".`,
    data: { received: scope, allowed: ARBITRATE_SCOPE },
  });
}

function notThePartyError(received: string, allowed: readonly string[], advice: string): AppError {
  return new AppError('NOT_THE_PARTY', {
    message: `Only the buyer or the provider of the job can file an arbitration. ${advice}`,
    data: { received, allowed },
  });
}
