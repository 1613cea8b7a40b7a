import { z } from 'zod';
import { SignedStatementShape } from '../../domain/attestation/records.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import { BadgeFile, checkBadge, checkCardBadge } from '../../domain/passport/badge-check.ts';
import {
  BADGE_ORDER,
  CardFinding,
  CardVerdict,
  checkCard,
  computeCardHash,
  IdentityCard,
  worstVerdict,
} from '../../domain/passport/card-check.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { formatNow, inputRuleError, signAnswer } from '../attestation/attest.ts';
import { registryOf, type TrustServices } from '../reputation/trust-subject.ts';
import { READ_ONLY_HINTS } from '../service/annotations.ts';
import { getIssuer, type Issuer, verifySignedFile } from '../service/signed-file.ts';

/** Maximum characters of a card or a badge. */
const FILE_CHARS_MAX = 200_000;
const MAX_AGE_DAYS = 365;
const NO_WALLET = `0x${'0'.repeat(40)}`;

const Input = z.strictObject({
  card: IdentityCard.describe('The answer of GET /a2a/passport/<name>, unchanged.'),
  badge: BadgeFile.optional()
    .describe('A badge from agent_trust-badge. Default: that of the card.')
    .meta(ADVANCED),
  max_age_days: z
    .int()
    .min(1)
    .max(MAX_AGE_DAYS)
    .default(30)
    .describe('Maximum age of the card signature, in days.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

const Payload = z.object({
  checked_at: z.string(),
  agent_id: z.string(),
  name: z.string(),
  card_hash: z.string(),
  verdict: CardVerdict,
  checks: z.array(CardFinding),
  issuer: z.string(),
  registry: z
    .object({ agent_registry: z.string(), owner: z.string(), wallet: z.string().nullable() })
    .nullable(),
  badge: z.object({
    source: z.enum(['card', 'statement']),
    verdict: CardVerdict,
    checks: z.array(CardFinding),
    now: z.object({ badge: z.enum(BADGE_ORDER), score: z.number() }),
  }),
  does_not_say: z.string(),
  requested_by: z.string(),
});
const Output = z.object({
  payload: Payload,
  statement: SignedStatementShape,
  proof: z.object({ ref: z.string(), records: z.string(), verify: z.string() }),
});

const DOES_NOT_SAY =
  'Not checked: whether the agent itself presented the card (ask for a signature of its wallet), ' +
  'and its skills and services, which are the agent’s own claims.';
const PRICE_USD = '0.05';
const DESCRIPTION = [
  'Verify an agent’s identity card (its passport document) and badge status against the issuing',
  'registry. Checks the canonical hash, the EIP-712 signature, the issuer, the age, and the',
  'owner, wallet and revocation in the ERC-8004 registry now. Checks the badge against settled',
  'jobs. Returns valid, expired, revoked, wrong_issuer, altered or unknown for card and badge,',
  'each check with the seen and the expected value. The answer is signed, with a proof in the',
  'public log. It does not show that the agent itself presented the card. For a track record use',
  `reputation_lookup. $${PRICE_USD} per call. You are not charged if the call returns an error.`,
].join(' ');

/** Creates the tool `security_identity-card-verify`. */
export function identityCardTool(deps: TrustServices): Tool<Input> {
  return {
    server: 'commerce',
    name: 'security_identity-card-verify',
    title: 'Identity card verification',
    description: DESCRIPTION,
    summary:
      'Verify an agent’s passport card and badge against the registry: valid, expired, ' +
      'revoked, altered or unknown. For a track record use reputation_lookup. No charge ' +
      'on error.',
    example: {
      card: {
        v: 1,
        name: 'atlas',
        agent_id: 'eip155:31337:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:7',
        erc8004: {
          agent_registry: 'eip155:31337:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
          id: '7',
        },
        owner: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
        wallet: null,
        status: 'active',
        reputation: { score: 0, badge: 'none' },
        passport_hash: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
        signature: {
          kind: 'passport',
          issued_at: '2026-01-31T12:00:00Z',
          payload_hash: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
          signature: { signer: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', chain_id: 31337 },
        },
      },
    },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => {
      rejectTooLong('card', input.card);
      rejectTooLong('badge', input.badge ?? null);
      return undefined;
    },
    run: (input, context) => run(deps, input, context),
  };
}

function rejectTooLong(path: string, value: unknown): void {
  const { length } = JSON.stringify(value);
  if (length <= FILE_CHARS_MAX) return;
  throw inputRuleError(`\`${path}\` is too long.`, length, `at most ${FILE_CHARS_MAX} characters`);
}

async function run(deps: TrustServices, input: Input, context: ToolContext): Promise<ToolResult> {
  const { card } = input;
  const { clock, trust } = deps;
  const issuer = getIssuer(trust, clock);
  const facts = await collectFacts(deps, input, issuer);
  const checks = checkCard(card, facts);
  const verdict = worstVerdict(checks);
  const badge = await badgeOf(deps, input, { issuer, isRevoked: verdict === 'revoked' });
  const { onChain } = facts;
  const payload = {
    checked_at: formatNow(clock),
    agent_id: card.agent_id,
    name: card.name,
    card_hash: computeCardHash(card),
    verdict,
    checks,
    issuer: issuer.signer,
    registry:
      onChain === undefined
        ? null
        : {
            agent_registry: facts.agentRegistry,
            owner: onChain.owner,
            wallet: onChain.wallet,
          },
    badge,
    does_not_say: DOES_NOT_SAY,
  };
  return signAnswer(deps, context, {
    kind: 'identity_card_check',
    payload: JSON.parse(JSON.stringify(payload)) as JsonObject,
    headline: `Card of ${card.name}: ${verdict}. Badge: ${badge.verdict} (now ${badge.now.badge}).`,
    why: formatReason([...checks, ...badge.checks]),
    lines: [...failedLines(checks), ...failedLines(badge.checks), DOES_NOT_SAY],
  });
}

async function collectFacts(deps: TrustServices, input: Input, issuer: Issuer) {
  const { clock, passports, trust } = deps;
  const { card, max_age_days } = input;
  const agentRegistry = registryOf(trust);
  const isHere = agentRegistry === card.erc8004.agent_registry;
  const { passport_hash: _hash, signature: statement, verify: _steps, ...payload } = card;
  const signed = await verifySignedFile(trust, { payload, statement });
  return {
    now: clock.now(),
    maxAgeMs: max_age_days * DAY_MS,
    issuer,
    isSigned: signed.isValid,
    agentRegistry,
    onChain: isHere ? await trust.identity.read(card.erc8004.id) : undefined,
    passport: isHere ? await passports.find(card.erc8004.id) : undefined,
  };
}

async function badgeOf(
  { clock, passports, reputationOf, trust }: TrustServices,
  { card, badge }: Input,
  o: { readonly issuer: Issuer; readonly isRevoked: boolean },
) {
  const passport = await passports.find(card.agent_id);
  const reputation = await reputationOf(passport?.wallet ?? NO_WALLET);
  const now = { badge: reputation.badge, score: reputation.score };
  const facts = { now: clock.now(), current: now, ...o };
  const checks =
    badge === undefined
      ? checkCardBadge(card, facts)
      : checkBadge(await verifySignedFile(trust, badge), card, facts);
  const source = badge === undefined ? ('card' as const) : ('statement' as const);
  return { source, verdict: worstVerdict(checks), checks, now };
}

function formatReason(checks: readonly CardFinding[]): string {
  const failed = checks.filter(({ result }) => result === 'fail');
  if (failed.length === 0) return `None of ${checks.length} checks failed.`;
  const names = failed.map(({ check }) => check).join(', ');
  return `${failed.length} of ${checks.length} checks failed: ${names}.`;
}

function failedLines(checks: readonly CardFinding[]): readonly string[] {
  return checks
    .filter(({ result }) => result === 'fail')
    .map(
      ({ check, fails_as, says, seen, expected }) =>
        `- ${check} (${fails_as}): failed: ${says} Seen: ${seen ?? 'nothing'}; ` +
        `expected: ${expected ?? 'nothing'}.`,
    );
}
