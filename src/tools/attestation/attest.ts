import type { Services } from '../../actors/common/services.ts';
import type { KnownAgent, StatementBasis } from '../../domain/attestation/records.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError, invariant } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { Passports } from '../../domain/passport/passports.ts';
import { toStatementRef } from '../../domain/proof/refs.ts';
import { composeResult, formatCost } from '../../domain/tool/result-text.ts';
import type { ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** An answer to sign. */
export interface UnsignedAnswer {
  /** Kind of statement, such as `process_attestation`. */
  readonly kind: string;
  readonly payload: JsonObject;
  /** First line of the text: the answer in one sentence. */
  readonly headline: string;
  /** Second line: why. */
  readonly why: string;
  /** Further lines of the text. */
  readonly lines?: readonly string[];
  /** Additional members of the structured content, besides payload, statement and proof. */
  readonly more?: JsonObject;
}

const VERIFY = 'stoa verify <this answer as a file> --signer <address>';

/**
 * Signs an answer that names the wallet that requested it. The result links to the proof record,
 * which exists once the payment has settled.
 */
export function signAnswer(
  { trust, clock }: Pick<Services, 'clock' | 'trust'>,
  context: ToolContext,
  { kind, payload, headline, why, lines = [], more = {} }: UnsignedAnswer,
): ToolResult {
  const { origin, paymentId, price } = context;
  invariant(paymentId !== undefined, 'a signed answer needs a payment');
  const named = { ...payload, requested_by: getPayer(context) };
  const plain = JSON.parse(JSON.stringify(named)) as JsonObject;
  const statement = trust.signStatement({ kind, payload: plain, issuedAt: clock.now() });
  const ref = toStatementRef(paymentId);
  const records = `/v1/proofs/records?ref=${ref}`;
  const text = composeResult({
    answer: headline,
    why,
    decidedBy: 'rules of this server; no language model took part',
    cost: formatCost(price),
    see: records,
    origin,
    details: lines,
    proofs: [`signed by ${statement.signature.signer}. ${VERIFY}`],
  });
  return {
    content: [{ type: 'text', text }],
    structuredContent: {
      ...more,
      payload: plain,
      statement: JSON.parse(JSON.stringify(statement)) as JsonObject,
      proof: { ref, records, verify: VERIFY },
    },
  };
}

/**
 * Looks up an agent in the registry. An unregistered agent is a normal result. `confirmed` is true
 * only if the agent's own wallet pays for the statement.
 */
export async function lookUpAgent(
  passports: Passports,
  subject: string,
  payer: string,
): Promise<KnownAgent> {
  const found = await passports.find(subject);
  if (found === undefined) {
    return {
      as_given: subject,
      registered: false,
      agent_id: null,
      name: null,
      wallet: null,
      status: null,
      confirmed: subject.toLowerCase() === payer,
    };
  }
  const { agent_id, name, wallet, status } = found;
  const confirmed = wallet !== null && wallet.toLowerCase() === payer;
  return { as_given: subject, registered: true, agent_id, name, wallet, status, confirmed };
}

/** Returns which facts about an agent are verified and which are only claimed. */
export function classifyAgentFacts(role: string, agent: KnownAgent): Omit<StatementBasis, 'payer'> {
  const { as_given: name, agent_id, registered, confirmed } = agent;
  const isNamed = registered
    ? `"${name}" is ${agent_id} in the registry of this service`
    : `"${name}" is not registered here`;
  return confirmed
    ? { verified: [isNamed, `the wallet of the ${role} paid for this statement`], claimed: [] }
    : { verified: [isNamed], claimed: [`that "${name}" is the ${role}; it did not confirm it`] };
}

/** Returns one line that states who claims the unverified facts. */
export function formatBasis({ payer, claimed }: StatementBasis): string {
  return claimed.length === 0
    ? `Requested and paid by ${payer}.`
    : `Claimed by ${payer}, who paid, and not verified: ${claimed.join('; ')}.`;
}

/** Returns the wallet that pays for a call. */
export function getPayer({ payer }: Pick<ToolContext, 'payer'>): string {
  invariant(payer !== undefined, 'a paid call has a payer');
  return payer;
}

/** Returns the current time of a clock in RFC 3339. */
export function formatNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Creates an `INPUT_INVALID` error for a rule that the schema cannot express. */
export function inputRuleError(message: string, received: unknown, allowed: unknown): AppError {
  return new AppError('INPUT_INVALID', { message, data: { received, allowed } });
}
