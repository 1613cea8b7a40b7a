import type { Erasable } from '../../domain/common/erasable.ts';
import { HOUR_MS } from '../../domain/common/time.ts';
import type { PassportIndex } from '../../domain/passport/passport-index.ts';
import type { Services } from '../common/services.ts';
import { findDelegation, findPassport, passportActorId } from './record.ts';

/** Minimum age of a revocation, so that its proof and its public event are written first. */
const REVOKED_MIN_MS = HOUR_MS;
/** Maximum number of passports, and of delegations, that one call erases. */
const ERASE_BATCH_MAX = 1_000;

type Ports = Pick<Services, 'clock' | 'engine'> & { readonly index: PassportIndex };

/**
 * Creates the eraser of a wallet's passports and delegations, or of a named passport. It erases
 * what was revoked at least an hour ago. Active records and on-chain data stay.
 */
export function createPassportEraser(parts: Ports): Erasable {
  return {
    store: 'passports',
    erase: async (subject) => {
      const { index } = parts;
      const named = index.byName(subject) === undefined ? [] : [subject];
      const names = [...named, ...index.byWallet(subject, ERASE_BATCH_MAX)];
      let erased = 0;
      for (const name of names) erased += await erasePassport(parts, name, subject);
      for (const id of index.delegationsOf(subject, ERASE_BATCH_MAX)) {
        erased += await eraseDelegation(parts, id, subject);
      }
      return erased;
    },
  };
}

/** A wallet that was bound later does not own the passport's data. */
async function erasePassport(
  { engine, index, clock }: Ports,
  name: string,
  subject: string,
): Promise<number> {
  const standing = await findPassport(engine, name);
  if (standing === undefined) return 0;
  const { ask, agentId, revoked } = standing.context;
  const applicant = ask.order.wallet;
  const isOwner = subject === name || subject === applicant;
  if (!isOwner || revoked === null || revoked.at + REVOKED_MIN_MS > clock.now()) return 0;
  const id = passportActorId(name);
  if (standing.state === 'revoked') await engine.tell(id, { type: 'PASSPORT.FORGOTTEN' });
  await index.remove({ name, applicant, agentId, askedAt: ask.at });
  await engine.purge(id);
  return 1;
}

async function eraseDelegation(
  { engine, index, clock }: Ports,
  delegationId: string,
  subject: string,
): Promise<number> {
  const found = await findDelegation(engine, delegationId);
  if (found === undefined || found.delegation.delegator !== subject) return 0;
  const { delegation, grantedAt, revoked } = found;
  if (revoked === null || revoked.at + REVOKED_MIN_MS > clock.now()) return 0;
  const { delegator, delegate } = delegation;
  await engine.tell(delegationId, { type: 'DELEGATION.FORGOTTEN' }).catch(() => undefined);
  await index.removeDelegation({ delegationId, delegator, delegate, grantedAt });
  await engine.purge(delegationId);
  return 1;
}
