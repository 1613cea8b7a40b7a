import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import type { PassportView } from '../../domain/passport/passport.ts';
import { parseSubject } from '../../domain/passport/subject.ts';
import type { Reputation } from '../../domain/reputation/view.ts';

/** The services of tools about an agent. */
export type TrustServices = Pick<
  Services,
  'clock' | 'delegations' | 'events' | 'passports' | 'proofs' | 'reputationOf' | 'trust'
>;

const SUBJECT_CHARS_MAX = 200;
const NO_WALLET = `0x${'0'.repeat(40)}`;

/** Input schema of every tool about one agent. */
export const SubjectInput = z.strictObject({
  subject: z
    .string()
    .min(1)
    .max(SUBJECT_CHARS_MAX)
    .describe('Agent name, ERC-8004 id or wallet address.'),
});
/** A parsed {@link SubjectInput}. */
export type SubjectInput = z.infer<typeof SubjectInput>;

/** An agent or wallet with its passport and record. */
export interface SubjectRecord {
  readonly subject: string;
  readonly wallet: string | null;
  readonly passport: PassportView | undefined;
  readonly reputation: Reputation;
}

/**
 * Checks before payment that the subject has a valid form.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function checkSubject({ subject }: SubjectInput, { trust }: Pick<Services, 'trust'>): void {
  const registry = registryOf(trust);
  if (parseSubject(subject, registry ?? '') !== undefined) return;
  throw new AppError('INPUT_INVALID', {
    message: '`subject` is not an agent name, an id of this registry, or a wallet.',
    data: {
      received: subject,
      allowed: ['agent name', 'N', `${registry ?? 'eip155:<chain>:<registry>'}:N`, '0x…'],
    },
  });
}

/** Finds an agent and its record. An unregistered agent is a normal result. */
export async function lookUpSubject(
  subject: string,
  { passports, reputationOf, trust }: Pick<Services, 'passports' | 'reputationOf' | 'trust'>,
): Promise<SubjectRecord> {
  const registry = registryOf(trust);
  const passport = registry === null ? undefined : await passports.find(subject);
  const named = parseSubject(subject, registry ?? '');
  const wallet = named?.by === 'wallet' ? named.wallet : (passport?.wallet ?? null);
  const reputation = await reputationOf(wallet ?? NO_WALLET);
  return { subject, wallet, passport, reputation: { ...reputation, wallet } };
}

/** Returns the members of a statement that identify its subject. */
export function subjectMembers({ subject, wallet, passport }: SubjectRecord) {
  if (passport === undefined) return { subject, registered: false, wallet, agent: null } as const;
  const { name, agent_id, operator_id, agent_class, owner, custody, status } = passport;
  const { registered_at, registration_tx } = passport;
  return {
    subject,
    registered: true,
    wallet,
    agent: {
      name,
      agent_id,
      operator_id,
      agent_class,
      owner,
      custody,
      status,
      registered_at,
      registration_tx,
    },
  } as const;
}

/** Returns the agent registry; `null` if the chain has none. */
export function registryOf({ contracts, identity }: TrustChain): string | null {
  return contracts.identity === null ? null : identity.agentRegistry;
}
