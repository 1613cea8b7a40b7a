import { z } from 'zod';
import type { RegisteredAgent } from '../chain/trust-chain.ts';
import { hashJson } from '../common/hash.ts';
import { DAY_MS } from '../common/time.ts';
import { PASSPORT_STATEMENT } from './document.ts';
import type { PassportView } from './passport.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** Badges, lowest to highest. */
export const BADGE_ORDER = ['none', 'bronze', 'silver', 'gold'] as const;

/**
 * An identity card as returned by `GET /a2a/passport/<name>`. Additional members are hashed too.
 */
export const IdentityCard = z.looseObject({
  v: z.literal(1).describe('Version.'),
  name: z.string().min(1).max(64).describe('Name of the agent.'),
  agent_id: z.string().min(1).max(200).describe('Its id.'),
  erc8004: z
    .looseObject({
      agent_registry: z.string().min(1).max(150).describe('Its registry.'),
      id: z
        .string()
        .regex(/^\d{1,78}$/)
        .describe('Its number there.'),
    })
    .describe('Its entry in the registry.'),
  owner: Address.describe('Its owner.'),
  wallet: Address.nullable().describe('Its wallet.'),
  status: z.enum(['active', 'revoked']).describe('Its status.'),
  reputation: z
    .looseObject({
      score: z.number().describe('Score.'),
      badge: z.enum(BADGE_ORDER).describe('Badge.'),
    })
    .describe('Its score and badge.'),
  passport_hash: Hash.describe('Hash of the card.'),
  signature: z
    .looseObject({
      kind: z.string().describe('Kind of statement.'),
      issued_at: z.iso.datetime().describe('When it was signed.'),
      payload_hash: Hash.describe('Hash that was signed.'),
      signature: z
        .looseObject({
          signer: Address.describe('Signer.'),
          chain_id: z.int().describe('Chain.'),
        })
        .describe('Who signed, on which chain.'),
    })
    .describe('The signature of the issuer.'),
});
/** An identity card. */
export type IdentityCard = z.infer<typeof IdentityCard>;

/** Verdict on a card or a badge. */
export const CardVerdict = z.enum([
  ...(['valid', 'expired', 'revoked', 'wrong_issuer', 'altered', 'unknown'] as const),
]);
/** Verdict on a card or a badge. */
export type CardVerdict = z.infer<typeof CardVerdict>;

/** One check and its observation. `fails_as` is the overall verdict if this failure counts. */
export const CardFinding = z.object({
  check: z.string(),
  result: z.enum(['pass', 'fail']),
  /** Verdict of a failed check; `null` for a passed one. */
  fails_as: CardVerdict.nullable(),
  says: z.string(),
  seen: z.string().nullable(),
  expected: z.string().nullable(),
});
/** One check and its observation. */
export type CardFinding = z.infer<typeof CardFinding>;

/** Facts against which a card is checked. */
export interface CardContext {
  readonly now: number;
  /** Maximum age of the signature, in milliseconds. */
  readonly maxAgeMs: number;
  /** Expected signer and chain of cards. */
  readonly issuer: { readonly signer: string; readonly chainId: number };
  /** Whether the signature belongs to the signer that the card names. */
  readonly isSigned: boolean;
  /** The registry used here; `null` if the chain has none. */
  readonly agentRegistry: string | null;
  /** The agent in the on-chain registry; absent if unknown. */
  readonly onChain: RegisteredAgent | undefined;
  /** The passport as stored by this service. */
  readonly passport: PassportView | undefined;
}

/** Returns the hash of a card: all members except hash, signature and verification steps. */
export function computeCardHash(card: IdentityCard): string {
  const { passport_hash: _hash, signature: _signature, verify: _steps, ...body } = card;
  return hashJson(body);
}

/** Checks a card. Each finding states the observed and the expected value. */
export function checkCard(card: IdentityCard, facts: CardContext): readonly CardFinding[] {
  return [
    ...checkIntegrity(card, facts),
    ...checkIssuer(card, facts),
    ...(facts.agentRegistry === card.erc8004.agent_registry
      ? checkRegistry(card, facts)
      : [rejectOtherRegistry(card, facts)]),
    checkAge(card, facts),
  ];
}

/** Returns the most severe failed verdict; `valid` if all checks passed. */
export function worstVerdict(findings: readonly CardFinding[]): CardVerdict {
  const failed = new Set(findings.map(({ fails_as }) => fails_as));
  return SEVERITY_ORDER.find((verdict) => failed.has(verdict)) ?? 'valid';
}

const SEVERITY_ORDER = ['altered', 'wrong_issuer', 'unknown', 'revoked', 'expired'] as const;

/** Creates the finding of a check that compares two values. */
export function createFinding(o: {
  readonly check: string;
  readonly says: string;
  readonly seen: string | null;
  readonly expected: string | null;
  readonly isRight: boolean;
  readonly failsAs: CardVerdict;
}): CardFinding {
  const { check, says, seen, expected, isRight, failsAs } = o;
  const result = isRight ? 'pass' : 'fail';
  return { check, result, fails_as: isRight ? null : failsAs, says, seen, expected };
}

function checkIntegrity(card: IdentityCard, { isSigned }: CardContext): readonly CardFinding[] {
  const hash = computeCardHash(card);
  const { signature, passport_hash } = card;
  const agent = `${card.erc8004.agent_registry}:${card.erc8004.id}`;
  const failsAs = 'altered';
  return [
    createFinding({
      check: 'hash',
      failsAs,
      seen: passport_hash,
      expected: hash,
      says: 'passport_hash is the SHA-256 of the canonical JSON of the card.',
      isRight: passport_hash === hash,
    }),
    createFinding({
      check: 'signed_hash',
      failsAs,
      seen: signature.payload_hash,
      expected: hash,
      says: 'The signed hash matches the card.',
      isRight: signature.payload_hash === hash && signature.kind === PASSPORT_STATEMENT,
    }),
    createFinding({
      check: 'signature',
      failsAs,
      seen: isSigned ? 'signed' : 'not signed',
      expected: signature.signature.signer.toLowerCase(),
      says: 'The signature (EIP-712) belongs to the signer that the card names.',
      isRight: isSigned,
    }),
    createFinding({
      check: 'agent_id',
      failsAs,
      seen: card.agent_id,
      expected: agent,
      says: 'agent_id matches the registry and the id of the card.',
      isRight: card.agent_id === agent,
    }),
  ];
}

function checkIssuer(card: IdentityCard, facts: CardContext): readonly CardFinding[] {
  const { signer, chain_id: chainId } = card.signature.signature;
  const failsAs = 'wrong_issuer';
  return [
    createFinding({
      check: 'issuer',
      failsAs,
      seen: signer.toLowerCase(),
      expected: facts.issuer.signer,
      says: 'The signer is the treasury of this service.',
      isRight: signer.toLowerCase() === facts.issuer.signer,
    }),
    createFinding({
      check: 'chain',
      failsAs,
      seen: String(chainId),
      expected: String(facts.issuer.chainId),
      says: 'The signature is for the chain of this service.',
      isRight: chainId === facts.issuer.chainId,
    }),
  ];
}

function rejectOtherRegistry(
  { erc8004 }: IdentityCard,
  { agentRegistry }: CardContext,
): CardFinding {
  return createFinding({
    check: 'registry',
    seen: erc8004.agent_registry,
    expected: agentRegistry,
    says: 'The card names the registry of this service.',
    isRight: false,
    failsAs: 'unknown',
  });
}

function checkRegistry(
  card: IdentityCard,
  { onChain, passport }: CardContext,
): readonly CardFinding[] {
  const listed = createFinding({
    check: 'registry',
    seen: onChain?.agentId ?? null,
    expected: card.erc8004.id,
    says: 'The on-chain registry lists the agent, and this service knows its name.',
    isRight: onChain !== undefined && passport?.name === card.name,
    failsAs: 'unknown',
  });
  if (onChain === undefined) return [listed];
  const { wallet, owner } = onChain;
  return [
    listed,
    createFinding({
      check: 'owner',
      seen: card.owner.toLowerCase(),
      expected: owner.toLowerCase(),
      says: 'The owner matches the current registry entry.',
      isRight: card.owner.toLowerCase() === owner.toLowerCase(),
      failsAs: 'expired',
    }),
    createFinding({
      check: 'wallet',
      seen: toLowerAddress(card.wallet),
      expected: toLowerAddress(wallet),
      says: 'The wallet matches the current registry entry.',
      isRight: toLowerAddress(card.wallet) === toLowerAddress(wallet),
      failsAs: 'expired',
    }),
    createFinding({
      check: 'revocation',
      seen: describeRevocation(passport),
      expected: null,
      says: 'The passport is not revoked.',
      isRight: passport?.revoked === null && card.status === 'active',
      failsAs: passport === undefined ? 'unknown' : 'revoked',
    }),
  ];
}

function describeRevocation(passport: PassportView | undefined): string | null {
  if (passport === undefined) return 'not known here';
  const { revoked } = passport;
  return revoked === null ? null : `${revoked.at}: ${revoked.reason}`;
}

function checkAge({ signature }: IdentityCard, { now, maxAgeMs }: CardContext): CardFinding {
  const issued = Date.parse(signature.issued_at);
  return createFinding({
    check: 'age',
    seen: signature.issued_at,
    expected: `after ${new Date(now - maxAgeMs).toISOString()}`,
    says: 'The signature is within the allowed age and not in the future.',
    isRight: issued >= now - maxAgeMs && issued <= now + DAY_MS,
    failsAs: 'expired',
  });
}

function toLowerAddress(address: string | null): string | null {
  return address === null ? null : address.toLowerCase();
}
