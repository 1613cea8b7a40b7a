import type { z } from 'zod';
import type { JsonObject } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import { toStatementRef } from '../../domain/proof/refs.ts';
import { createStatementSchema } from '../../domain/reputation/statements.ts';
import { composeResult, formatCost } from '../../domain/tool/result-text.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { READ_ONLY_HINTS } from '../service/annotations.ts';
import {
  checkSubject,
  lookUpSubject,
  SubjectInput,
  type SubjectRecord,
  type TrustServices,
} from './trust-subject.ts';

/** Validity of a badge statement, in milliseconds. */
export const BADGE_VALID_MS = DAY_MS;

/** The properties in which trust tools differ. */
export interface TrustToolDefinition<Payload extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly summary: string;
  readonly example: JsonObject;
  /** Price in dollars. */
  readonly price: string;
  /** Kind of statement. */
  readonly kind: string;
  readonly payload: Payload;
  state(looked: SubjectRecord, deps: TrustServices): Promise<z.input<Payload>>;
  /** Returns further lines of the text. */
  lines?(payload: z.output<Payload>): readonly string[];
}

const VERIFY = [
  'Save {"payload": …, "statement": …} as a file and run `stoa verify <file> --signer <address>`;',
  'no server is needed. It proves who stated this and when, not that it is true.',
].join(' ');

/** Creates a tool that returns a signed statement about one agent. */
export function createTrustTool<Payload extends z.ZodType>(
  parts: TrustToolDefinition<Payload>,
  deps: TrustServices,
): Tool<SubjectInput> {
  const { name, title, description, summary, example, price } = parts;
  return {
    server: 'commerce',
    name,
    title,
    description,
    summary,
    example,
    annotations: READ_ONLY_HINTS,
    input: SubjectInput,
    output: createStatementSchema(parts.payload),
    price: { amount: formatMicroUsd(parseUsd(price)), flow: 'authorization' },
    checkReady: (input) => {
      checkSubject(input, deps);
      return undefined;
    },
    run: (input, context) => run(parts, input, context, deps),
  };
}

async function run<Payload extends z.ZodType>(
  { kind, payload: shape, state, lines }: TrustToolDefinition<Payload>,
  { subject }: SubjectInput,
  { origin, paymentId, payer, price }: ToolContext,
  deps: TrustServices,
): Promise<ToolResult> {
  const looked = await lookUpSubject(subject, deps);
  const about = (await state(looked, deps)) as object;
  const asked = payer === undefined ? {} : { requested_by: payer };
  const parsed = shape.parse({ ...about, ...asked });
  const payload = parsed as JsonObject;
  const issuedAt = deps.clock.now();
  const statement = deps.trust.signStatement({ kind, payload, issuedAt });
  const { score, badge } = looked.reputation;
  const registered = looked.passport !== undefined;
  const proof = paymentId === undefined ? null : { kind: 30017, ref: toStatementRef(paymentId) };
  const answer = { score, badge, registered, payload, statement, proof, verify: VERIFY };
  const records = proof === null ? undefined : `/v1/proofs/records?ref=${proof.ref}`;
  const text = composeResult({
    ...describeRecord(looked),
    decidedBy: 'rules of this server over its public events',
    cost: formatCost(price),
    see: registered ? `/a2a/passport/${looked.passport?.name}` : records,
    origin,
    details: [...describeSubject(looked), ...(lines?.(parsed) ?? [])],
    proofs: [`signed by ${statement.signature.signer}. ${VERIFY}`],
  });
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(JSON.stringify(answer)) as JsonObject,
  };
}

function describeRecord({ subject, passport, reputation }: SubjectRecord) {
  const { score, badge, settled_jobs, settled_usd, distinct_counterparties } = reputation;
  const { disputes, lost_disputes } = reputation;
  return {
    answer: `${passport?.name ?? subject}: score ${score}, badge ${badge}.`,
    why:
      `${settled_jobs} settled jobs, ${settled_usd} USD, ${distinct_counterparties} ` +
      `counterparties; ${lost_disputes} of ${disputes} disputes lost.`,
  };
}

function describeSubject({ subject, passport, wallet, reputation }: SubjectRecord) {
  const { excluded } = reputation;
  return [
    passport === undefined
      ? `${subject} is not registered here.`
      : `${passport.name} (${passport.agent_id}) is ${passport.status}; wallet ${wallet ?? '-'}.`,
    ...(excluded.jobs === 0 ? [] : [`${excluded.jobs} settled jobs are excluded.`]),
  ];
}
