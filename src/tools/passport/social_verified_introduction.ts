import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { createConsentData } from '../../domain/attestation/consent.ts';
import {
  AgentSubject,
  ProofPointer,
  SignedStatementShape,
} from '../../domain/attestation/records.ts';
import { AppError } from '../../domain/common/error.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import type { TypedData } from '../../domain/wallet/typed-data.ts';
import { formatNow, inputRuleError, signAnswer } from '../attestation/attest.ts';
import { RECORD_HINTS } from '../service/annotations.ts';

/** Maximum validity of a consent, in days. */
export const CONSENT_DAYS_MAX = 30;

const Party = z.strictObject({
  agent: AgentSubject.describe('Agent name, ERC-8004 id or wallet.'),
  consent_signature: z
    .string()
    .regex(/^0x(?:[0-9a-fA-F]{2}){1,2048}$/)
    .optional()
    .describe('Signature of the registered wallet; omit it to get the data to sign.'),
  delegation_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Delegation under which the agent acts; its whole chain is verified.'),
});
const Input = z.strictObject({
  parties: z.array(Party).length(2).describe('The two agents.'),
  purpose: z.string().min(1).max(500).describe('Purpose of the introduction.'),
  expires_at: z.iso.datetime().describe(`End of the consents; at most ${CONSENT_DAYS_MAX} days.`),
  nonce: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .describe('32 fresh random bytes in hex.'),
});
type Input = z.infer<typeof Input>;

const IntroducedParty = z.object({
  as_given: z.string(),
  agent_id: z.string(),
  name: z.string(),
  operator_id: z.string(),
  wallet: z.string(),
  custody: z.enum(['operator', 'self']),
  delegation: z
    .object({
      delegation_id: z.string(),
      delegator: z.string(),
      scope: z.array(z.string()),
      expires_at: z.string(),
      links: z.int(),
    })
    .nullable(),
});
type IntroducedParty = z.infer<typeof IntroducedParty>;

const Output = z.object({
  payload: z.object({
    introduced_at: z.string(),
    purpose: z.string(),
    expires_at: z.string(),
    nonce: z.string(),
    parties: z.array(IntroducedParty),
    verified: z.array(z.string()),
    not_verified: z.array(z.string()),
    requested_by: z.string(),
  }),
  statement: SignedStatementShape,
  proof: ProofPointer,
});

const NOT_VERIFIED = [
  'who is behind an operator_id',
  'that either side will act as the purpose states',
  'anything about their work: see reputation_lookup and agent_prehire-check',
];
const PRICE_USD = '0.10';
const DESCRIPTION = [
  'Introduce two agents to each other after verifying both. Each passport must be registered and',
  'not revoked. Each registered wallet must have signed its consent to this meeting and purpose.',
  'Each named delegation chain must be valid now. Call first without signatures: the error',
  'returns the typed data (EIP-712) that each wallet signs, free of charge. The answer is signed',
  'and lists what was verified and what was not. It says nothing about the agents’ work; for that',
  `use reputation_lookup or agent_prehire-check. $${PRICE_USD} per call. You are not charged`,
  'until both wallets have signed.',
].join(' ');

type Ports = Pick<Services, 'chain' | 'clock' | 'delegations' | 'passports' | 'trust'>;

/** Creates the tool `social_verified_introduction`. */
export function introductionTool(deps: Ports): Tool<Input> {
  return {
    server: 'commerce',
    name: 'social_verified_introduction',
    title: 'Verified introduction of two agents',
    description: DESCRIPTION,
    summary:
      'Introduce two agents after verifying passports, signed consents and delegations. ' +
      'A call without signatures is free and returns what to sign. For their work use ' +
      'reputation_lookup. No charge until both have signed.',
    example: {
      parties: [{ agent: 'atlas' }, { agent: 'boreas' }],
      purpose: 'Discuss a data licence',
      expires_at: '2026-12-31T00:00:00Z',
      nonce: '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    },
    annotations: RECORD_HINTS,
    input: Input,
    output: Output,
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => {
      checkTimes(input, deps.clock.now());
      requireSignatures(input, deps.chain.facts.chainId);
      return undefined;
    },
    run: (input, context) => run(deps, input, context),
  };
}

function checkTimes({ expires_at, parties: [first, second] }: Input, now: number): void {
  const end = Date.parse(expires_at);
  if (first?.agent.toLowerCase() === second?.agent.toLowerCase()) {
    throw inputRuleError('The two parties are the same agent.', first?.agent, 'two agents');
  }
  if (end <= now) {
    throw new AppError('WALLET_EXPIRED', {
      message: '`expires_at` is in the past.',
      data: { received: expires_at, allowed: `after ${new Date(now).toISOString()}` },
    });
  }
  const latest = now + CONSENT_DAYS_MAX * DAY_MS;
  if (end > latest) {
    throw inputRuleError('`expires_at` is too late.', expires_at, new Date(latest).toISOString());
  }
}

/** Rejects a call without both signatures, before payment, with the data that each wallet signs. */
function requireSignatures(input: Input, chainId: number): void {
  const open = input.parties.filter((party) => party.consent_signature === undefined);
  if (open.length === 0) return;
  throw new AppError('INPUT_INVALID', {
    message: 'Each registered wallet must sign its consent: the data to sign is in typed_data.',
    data: {
      received: input.parties.length - open.length,
      allowed: input.parties.length,
      typed_data: buildConsents(input, chainId),
    },
  });
}

function buildConsents(input: Input, chainId: number): readonly TypedData[] {
  const names = input.parties.map(({ agent }) => agent);
  return names.map((agent, at) =>
    createConsentData(input, { agent, toMeet: names[1 - at] ?? '' }, chainId),
  );
}

async function run(deps: Ports, input: Input, context: ToolContext): Promise<ToolResult> {
  const consents = buildConsents(input, deps.chain.facts.chainId);
  const parties: IntroducedParty[] = [];
  for (const [at, party] of input.parties.entries()) {
    const consent = consents[at];
    if (consent === undefined) throw new AppError('INVARIANT', { message: 'a consent a party' });
    parties.push(await verifyParty(deps, party, consent));
  }
  const [first, second] = parties;
  if (first?.agent_id === second?.agent_id) {
    throw inputRuleError('Both names belong to the same agent.', first?.agent_id, 'two agents');
  }
  const { purpose, expires_at, nonce } = input;
  return signAnswer(deps, context, {
    kind: 'introduction',
    payload: {
      introduced_at: formatNow(deps.clock),
      purpose,
      expires_at,
      nonce,
      parties,
      verified: [
        'both passports are registered and not revoked',
        'both registered wallets signed their consent to this meeting',
        ...parties.flatMap(({ name, delegation }) =>
          delegation === null ? [] : [`the delegation of ${name} is valid, over all its links`],
        ),
      ],
      not_verified: [
        ...parties.flatMap(({ name, delegation }) =>
          delegation === null ? [`${name} named no delegation, so it acts for itself`] : [],
        ),
        ...NOT_VERIFIED,
      ],
    },
    headline: `Introduced: ${first?.name} and ${second?.name}.`,
    why: `${first?.wallet} and ${second?.wallet} both signed their consent.`,
    lines: [`Not verified: ${NOT_VERIFIED.join('; ')}.`],
  });
}

async function verifyParty(
  deps: Ports,
  { agent, consent_signature: signature = '', delegation_id }: Input['parties'][number],
  consent: TypedData,
): Promise<IntroducedParty> {
  const passport = await deps.passports.find(agent);
  if (passport === undefined) {
    throw new AppError('PASSPORT_UNKNOWN', { data: { received: agent } });
  }
  const { agent_id, name, operator_id, wallet, custody, status } = passport;
  if (status === 'revoked') {
    throw new AppError('FORBIDDEN', {
      message: `The passport of ${name} is revoked.`,
      data: { received: agent, allowed: 'an active passport' },
    });
  }
  if (wallet === null) {
    throw new AppError('FORBIDDEN', {
      message: `${name} has no registered wallet that could consent.`,
      data: { received: agent, allowed: 'a passport with a bound wallet' },
    });
  }
  if (!(await deps.trust.isSignedBy(wallet, consent, signature))) {
    throw new AppError('WALLET_FORGED', {
      message: `The registered wallet of ${name} did not sign this consent.`,
      data: { received: agent, allowed: wallet },
    });
  }
  const delegation =
    delegation_id === undefined ? null : await verifyDelegation(deps, delegation_id, wallet);
  return { as_given: agent, agent_id, name, operator_id, wallet, custody, delegation };
}

async function verifyDelegation(
  { delegations }: Ports,
  delegationId: string,
  wallet: string,
): Promise<NonNullable<IntroducedParty['delegation']>> {
  const chain = await delegations.verifyChain(delegationId);
  if (!chain.is_valid) {
    throw new AppError('DELEGATION_INVALID', {
      data: { received: delegationId, faults: chain.faults },
    });
  }
  if (chain.delegate.toLowerCase() !== wallet) {
    throw new AppError('DELEGATION_INVALID', {
      message: 'The delegation names another wallet as its delegate.',
      data: { received: chain.delegate, allowed: wallet },
    });
  }
  return {
    delegation_id: chain.delegation_id,
    delegator: chain.delegator,
    scope: [...chain.scope],
    expires_at: chain.expires_at,
    links: chain.links.length,
  };
}
