import { z } from 'zod';
import { BadgeStatement } from '../reputation/statements.ts';
import type { StatementVerdict } from '../verification/statement.ts';
import { BADGE_ORDER, type CardFinding, createFinding, type IdentityCard } from './card-check.ts';

/** Statement kind of badges. */
export const BADGE_STATEMENT = 'trust_badge';

/** A badge as returned by `agent_trust-badge`; other members are ignored. */
export const BadgeFile = z.looseObject({
  payload: z.record(z.string(), z.unknown()).describe('What was signed.'),
  statement: z.record(z.string(), z.unknown()).describe('The signature.'),
});

/** Facts against which a badge is checked. */
export interface BadgeContext {
  readonly now: number;
  readonly issuer: { readonly signer: string };
  /** Badge and score that the settled jobs of the agent's wallet earn now. */
  readonly current: { readonly badge: (typeof BADGE_ORDER)[number]; readonly score: number };
  readonly isRevoked: boolean;
}

/** Checks the badge in a card. The card's checks cover its integrity, but it may be outdated. */
export function checkCardBadge(card: IdentityCard, facts: BadgeContext): readonly CardFinding[] {
  return [checkEarned(card.reputation.badge, facts), checkHolderActive(facts)];
}

/** Checks a separately issued badge. */
export function checkBadge(
  file: StatementVerdict,
  card: IdentityCard,
  facts: BadgeContext,
): readonly CardFinding[] {
  const signed = createFinding({
    check: 'badge_signature',
    seen: file.isValid ? file.signer : file.reason,
    expected: null,
    says: 'The signature of the badge is valid.',
    isRight: file.isValid,
    failsAs: 'altered',
  });
  if (!file.isValid) return [signed];
  const issuer = createFinding({
    check: 'badge_issuer',
    seen: file.signer,
    expected: facts.issuer.signer,
    says: 'The signer of the badge is the treasury of this service.',
    isRight: file.signer === facts.issuer.signer,
    failsAs: 'wrong_issuer',
  });
  const stated = BadgeStatement.safeParse(file.payload);
  const isBadge = stated.success && file.kind === BADGE_STATEMENT;
  const form = createFinding({
    check: 'badge_form',
    seen: file.kind,
    expected: BADGE_STATEMENT,
    says: 'The statement is a badge.',
    isRight: isBadge,
    failsAs: 'unknown',
  });
  if (!stated.success || !isBadge) return [signed, issuer, form];
  const { agent, badge, valid_until } = stated.data;
  return [
    ...[signed, issuer, form],
    createFinding({
      check: 'badge_subject',
      seen: agent?.agent_id ?? null,
      expected: card.agent_id,
      says: 'The badge belongs to the agent of the card.',
      isRight: agent?.agent_id === card.agent_id,
      failsAs: 'unknown',
    }),
    createFinding({
      check: 'badge_age',
      seen: valid_until,
      expected: `after ${new Date(facts.now).toISOString()}`,
      says: 'The badge has not expired.',
      isRight: Date.parse(valid_until) > facts.now,
      failsAs: 'expired',
    }),
    checkEarned(badge, facts),
    checkHolderActive(facts),
  ];
}

function checkEarned(
  claimed: BadgeContext['current']['badge'],
  { current }: BadgeContext,
): CardFinding {
  return createFinding({
    check: 'badge_earned',
    seen: claimed,
    expected: `${current.badge} or lower`,
    says: 'The settled jobs of the wallet currently earn this badge or a higher one.',
    isRight: BADGE_ORDER.indexOf(claimed) <= BADGE_ORDER.indexOf(current.badge),
    failsAs: 'revoked',
  });
}

function checkHolderActive({ isRevoked }: BadgeContext): CardFinding {
  return createFinding({
    check: 'badge_holder',
    seen: isRevoked ? 'revoked' : 'active',
    expected: 'active',
    says: 'The passport of the holder is not revoked.',
    isRight: !isRevoked,
    failsAs: 'revoked',
  });
}
