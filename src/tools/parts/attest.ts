import type { KnownAgent } from '../../domain/attestation/records.ts';
import { AppError, invariant } from '../../domain/error.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Passports } from '../../domain/ports/passports.ts';
import type { TrustChain } from '../../domain/ports/trust-chain.ts';
import { statementRef } from '../../domain/proof/refs.ts';
import { joinAnswer } from '../../domain/readable.ts';
import type { ToolContext, ToolResult } from '../../domain/tool.ts';

/** What tools that sign statements work with. */
export interface AttestDeps {
  readonly trust: Pick<TrustChain, 'signStatement'>;
  readonly passports: Passports;
  readonly clock: Clock;
}

/** An answer under the service's signature. */
export interface NewAnswer {
  /** Kind of the statement, such as `process_attestation`. */
  readonly kind: string;
  readonly payload: JsonObject;
  /** First line of the text: the answer in one sentence. */
  readonly headline: string;
  /** Further lines. */
  readonly lines?: readonly string[];
  /** Further members of the structured content, beside payload, statement and proof. */
  readonly more?: JsonObject;
}

const VERIFY = 'stoa verify <this answer as a file> --signer <address>';

/** Signs an answer and says where its proof will be, once its payment has settled. */
export function signedAnswer(
  { trust, clock }: Pick<AttestDeps, 'trust' | 'clock'>,
  { paymentId }: ToolContext,
  { kind, payload, headline, lines = [], more = {} }: NewAnswer,
): ToolResult {
  invariant(paymentId !== undefined, 'what is signed was paid for');
  const plain = JSON.parse(JSON.stringify(payload)) as JsonObject;
  const statement = trust.signStatement({ kind, payload: plain, issuedAt: clock.now() });
  const ref = statementRef(paymentId);
  const records = `/v1/proofs/records?ref=${ref}`;
  const words = [headline, ...lines, `Signed by ${statement.signature.signer}; proof: ${records}`];
  return {
    content: [{ type: 'text', text: joinAnswer(words) }],
    structuredContent: {
      ...more,
      payload: plain,
      statement: JSON.parse(JSON.stringify(statement)) as JsonObject,
      proof: { ref, records, verify: VERIFY },
    },
  };
}

/** Looks an agent up in the registry; one that is not there is an answer, not an error. */
export async function lookUpAgent(passports: Passports, subject: string): Promise<KnownAgent> {
  const found = await passports.find(subject);
  if (found === undefined) {
    return {
      ...{ as_given: subject, registered: false, agent_id: null },
      ...{ name: null, wallet: null, status: null },
    };
  }
  const { agent_id, name, wallet, status } = found;
  return { as_given: subject, registered: true, agent_id, name, wallet, status };
}

/** A time as the clock has it, in RFC 3339. */
export function instantOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Refuses an input beyond its schema, saying what came and what is allowed. */
export function refusedInput(message: string, received: unknown, allowed: unknown): AppError {
  return new AppError('INPUT_INVALID', { message, data: { received, allowed } });
}
