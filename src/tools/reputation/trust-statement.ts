import type { z } from 'zod';
import type { JsonObject } from '../../domain/common/json.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { joinAnswer } from '../../domain/common/readable.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import { statementRef } from '../../domain/proof/refs.ts';
import { stated } from '../../domain/reputation/statements.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import { READS } from '../service/annotations.ts';
import {
  checkSubject,
  type Looked,
  lookAt,
  SubjectInput,
  type TrustToolDeps,
} from './trust-subject.ts';

/** Validity of a badge statement, in milliseconds. */
export const BADGE_VALID_MS = DAY_MS;

/** The properties in which trust tools differ. */
export interface TrustTool<Payload extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Price in dollars. */
  readonly price: string;
  /** Kind of statement. */
  readonly kind: string;
  readonly payload: Payload;
  state(looked: Looked, deps: TrustToolDeps): Promise<z.input<Payload>>;
}

const VERIFY = [
  'Save {"payload": …, "statement": …} as a file and run `stoa verify <file> --signer <address>`;',
  'no server is needed. It proves who stated this and when, not that it is true.',
].join(' ');

/** Creates a tool that returns a signed statement about one agent. */
export function trustTool<Payload extends z.ZodType>(
  parts: TrustTool<Payload>,
  deps: TrustToolDeps,
): Tool<SubjectInput> {
  const { name, title, description, price } = parts;
  return {
    ...{ server: 'commerce', name, title, description },
    annotations: READS,
    input: SubjectInput,
    output: stated(parts.payload),
    price: { amount: toText(microUsd(price)), flow: 'authorization' },
    ready: (input) => {
      checkSubject(input, deps);
      return undefined;
    },
    run: (input, context) => run(parts, input, context, deps),
  };
}

async function run<Payload extends z.ZodType>(
  { kind, payload: shape, state }: TrustTool<Payload>,
  { subject }: SubjectInput,
  { paymentId, payer }: ToolContext,
  deps: TrustToolDeps,
): Promise<ToolResult> {
  const looked = await lookAt(subject, deps);
  const about = (await state(looked, deps)) as object;
  const asked = payer === undefined ? {} : { requested_by: payer };
  const payload = shape.parse({ ...about, ...asked }) as JsonObject;
  const issuedAt = deps.clock.now();
  const statement = deps.trust.chain.signStatement({ kind, payload, issuedAt });
  const { score, badge } = looked.reputation;
  const registered = looked.passport !== undefined;
  const proof = paymentId === undefined ? null : { kind: 30017, ref: statementRef(paymentId) };
  const answer = { score, badge, registered, payload, statement, proof, verify: VERIFY };
  return {
    content: [{ type: 'text', text: words(looked) }],
    structuredContent: JSON.parse(JSON.stringify(answer)) as JsonObject,
  };
}

function words({ subject, passport, wallet, reputation }: Looked): string {
  const { score, badge, settled_jobs, settled_usd, distinct_counterparties } = reputation;
  const { disputes, lost_disputes, excluded } = reputation;
  const lines = [
    `score ${score}, badge ${badge}: ${settled_jobs} settled jobs, ${settled_usd} USD,` +
      ` ${distinct_counterparties} counterparties; ${lost_disputes} of ${disputes} disputes lost`,
    passport === undefined
      ? `${subject} is not registered here.`
      : `${passport.name} (${passport.agent_id}) is ${passport.status}; wallet ${wallet ?? '-'}.`,
    ...(excluded.jobs === 0 ? [] : [`${excluded.jobs} settled jobs are excluded.`]),
  ];
  return joinAnswer(lines);
}
