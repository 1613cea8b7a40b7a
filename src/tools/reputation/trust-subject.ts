import { z } from 'zod';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { EventLog } from '../../domain/event/event-log.ts';
import type { Delegations } from '../../domain/passport/delegations.ts';
import type { PassportView } from '../../domain/passport/passport.ts';
import type { Passports } from '../../domain/passport/passports.ts';
import { readSubject } from '../../domain/passport/subject.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { ReputationOf } from '../../domain/reputation/reputation.ts';
import type { Reputation } from '../../domain/reputation/view.ts';

/** What the tools of trust work with. */
export interface TrustToolDeps {
  readonly trust: {
    readonly chain: TrustChain;
    readonly passports: Passports;
    readonly delegations: Delegations;
    readonly reputationOf: ReputationOf;
    readonly events: EventLog;
    readonly proofs: Pick<ProofLog, 'latestCheckpoint'>;
  };
  readonly clock: Clock;
}

const SUBJECT_CHARS_MAX = 200;
const NO_WALLET = `0x${'0'.repeat(40)}`;

/** The input of every tool that looks at one agent. */
export const SubjectInput = z.strictObject({
  subject: z
    .string()
    .min(1)
    .max(SUBJECT_CHARS_MAX)
    .describe(
      'Agent name, ERC-8004 id (7 or eip155:31337:0x…:7), or wallet (0x and 40 hex digits).',
    ),
});
/** See {@link SubjectInput}. */
export type SubjectInput = z.infer<typeof SubjectInput>;

/** An agent or wallet that was asked about, with its record. */
export interface Looked {
  readonly subject: string;
  readonly wallet: string | null;
  readonly passport: PassportView | undefined;
  readonly reputation: Reputation;
}

/**
 * Refuses what can name nobody, before any payment.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function checkSubject({ subject }: SubjectInput, { trust }: TrustToolDeps): void {
  const registry = registryOf(trust.chain);
  if (readSubject(subject, registry ?? '') !== undefined) return;
  throw new AppError('INPUT_INVALID', {
    message: 'The subject is neither a name, an id of this registry, nor a wallet.',
    data: {
      received: subject,
      allowed: ['agent name', 'N', `${registry ?? 'eip155:<chain>:<registry>'}:N`, '0x…'],
    },
  });
}

/** Finds an agent and its record. One that is not registered is an ordinary answer. */
export async function lookAt(subject: string, { trust }: TrustToolDeps): Promise<Looked> {
  const registry = registryOf(trust.chain);
  const passport = registry === null ? undefined : await trust.passports.find(subject);
  const named = readSubject(subject, registry ?? '');
  const wallet = named?.by === 'wallet' ? named.wallet : (passport?.wallet ?? null);
  const reputation = await trust.reputationOf(wallet ?? NO_WALLET);
  return { subject, wallet, passport, reputation: { ...reputation, wallet } };
}

/** The members of a statement that say whom it is about. */
export function aboutOf({ subject, wallet, passport }: Looked) {
  if (passport === undefined) return { subject, registered: false, wallet, agent: null } as const;
  const { name, agent_id, operator_id, agent_class, owner, custody, status } = passport;
  const { registered_at, registration_tx } = passport;
  return {
    subject,
    registered: true,
    wallet,
    agent: {
      ...{ name, agent_id, operator_id, agent_class, owner, custody, status },
      ...{ registered_at, registration_tx },
    },
  } as const;
}

/** The registry of agents; `null` where the chain has none. */
export function registryOf({ contracts, identity }: TrustChain): string | null {
  return contracts.identity === null ? null : identity.agentRegistry;
}
