import { z } from 'zod';
import { holdSeal } from '../../actors/attestation/seal-holds.ts';
import { isConfirmed } from '../../actors/attestation/seal-proofs.ts';
import {
  issueSeal,
  planSeal,
  readOwnSeal,
  readSeal,
  redeemSeal,
  type SealDeps,
  type SealState,
} from '../../actors/attestation/seals.ts';
import type { Services } from '../../actors/common/services.ts';
import {
  AgentSubject,
  ProofPointer,
  Sha256,
  SignedStatementShape,
  StatementBasis,
} from '../../domain/attestation/records.ts';
import { AppError, invariant } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import type { ProofRecord } from '../../domain/proof/record.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { RECORD_HINTS } from '../service/annotations.ts';
import { getPayer, lookUpAgent, signAnswer } from './attest.ts';

const SealId = z.string().regex(/^seal_[0-9a-f]{64}$/);
/** One flat object, because some clients do not support unions. */
const Input = z.strictObject({
  action: z
    .enum(['issue', 'redeem', 'check'])
    .describe('issue creates a seal, redeem uses it, check returns its state.'),
  deliverable_sha256: Sha256.optional().describe('issue, redeem: SHA-256 of the deliverable.'),
  agent: AgentSubject.optional().describe('issue: producing agent; name, ERC-8004 id or wallet.'),
  seal_id: SealId.optional().describe('redeem, check: id of the seal.'),
  capability: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('redeem: the secret from issue. Whoever holds it can use the seal, once.'),
});
type Input = z.infer<typeof Input>;

const Use = z.object({ at: z.string(), deliverable_sha256: z.string() });
const Output = z.object({
  capability: z.string().optional(),
  payload: z.object({
    action: z.enum(['issue', 'redeem', 'check']),
    seal_id: z.string(),
    state: z.enum(['issued', 'redeemed', 'expired', 'closed']),
    deliverable_sha256: z.string(),
    agent: z.object({
      as_given: z.string(),
      agent_id: z.string().nullable(),
      wallet: z.string().nullable(),
      /** True if the agent's own wallet paid for the seal; otherwise the payer named the agent. */
      confirmed: z.boolean(),
    }),
    /** Wallet that paid for the seal; `null` on seals of versions that did not store it. */
    issued_to: z.string().nullable(),
    basis: StatementBasis.omit({ payer: true }),
    requested_by: z.string(),
    issued_at: z.string(),
    valid_until: z.string(),
    redeemed: Use.nullable(),
    refused_uses: z.int(),
  }),
  statement: SignedStatementShape,
  proof: ProofPointer,
  /** The log record of this step. */
  seal_proof: z.object({ seq: z.int(), file: z.string(), all: z.string() }),
});

const PRICE_USD = '0.05';
const DESCRIPTION = [
  'Bind one deliverable, by SHA-256, to one producing agent at one time, with a seal that can be',
  'used once. issue returns a public seal_id and a secret capability. redeem takes both and the',
  'hash, and marks the seal as used, exactly once even under concurrent calls. A second use fails',
  'with SEAL_USED, the proof of the first use and a proof of the refusal; you are not charged for',
  'it. check returns the state. Each answer is signed. It names who paid for the seal and whether',
  'that was the agent itself; otherwise the agent is only the payer’s claim. A seal does not',
  `attest quality. $${PRICE_USD} per action. You are not charged if the call returns an error.`,
].join(' ');

type Ports = Pick<Services, 'blobs' | 'clock' | 'passports' | 'trust'> & {
  readonly seals: SealDeps;
};

/** Creates the tool `attestation_single-use-seal`. */
export function sealTool(deps: Ports): Tool<Input> {
  return {
    server: 'commerce',
    name: 'attestation_single-use-seal',
    title: 'Single-use seal for a deliverable',
    description: DESCRIPTION,
    summary:
      'Seal a deliverable’s SHA-256 to the agent that made it: issue gives a seal and a ' +
      'secret, redeem uses it exactly once, check shows its state. No charge on error.',
    example: {
      action: 'issue',
      deliverable_sha256: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      agent: 'atlas',
    },
    annotations: RECORD_HINTS,
    input: Input,
    output: Output,
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => {
      checkMembers(input);
      return undefined;
    },
    run: (input, context) => run(deps, input, context),
    finish: (input, context, result) => finish(deps, input, context, result),
  };
}

type Member = Exclude<keyof Input, 'action'>;
const NEEDED: Readonly<Record<Input['action'], readonly Member[]>> = {
  issue: ['deliverable_sha256', 'agent'],
  redeem: ['seal_id', 'capability', 'deliverable_sha256'],
  check: ['seal_id'],
};
const MEMBERS: readonly Member[] = ['deliverable_sha256', 'agent', 'seal_id', 'capability'];

/** Checks that an action has exactly its own members. */
function checkMembers(input: Input): void {
  const received = MEMBERS.filter((name) => input[name] !== undefined);
  const needed = NEEDED[input.action];
  const isExact = received.length === needed.length && received.every((m) => needed.includes(m));
  if (isExact) return;
  throw new AppError('INPUT_INVALID', {
    message: `Action ${input.action} takes exactly: ${needed.join(', ')}.`,
    data: { received, allowed: needed },
  });
}

async function run(deps: Ports, input: Input, context: ToolContext): Promise<ToolResult> {
  const { paymentId } = context;
  invariant(paymentId !== undefined, 'a seal needs a payment');
  const { action, agent = '', seal_id: sealId = '', capability = '' } = input;
  const { deliverable_sha256: deliverableSha256 = '' } = input;
  switch (action) {
    case 'issue': {
      const payer = getPayer(context);
      const { agent_id: agentId, wallet } = await lookUpAgent(deps.passports, agent, payer);
      const order = { deliverableSha256, agent, agentId, wallet, payer };
      const { input: seal, capability: secret } = planSeal(deps.seals, paymentId, order);
      const headline = `Sealed: ${seal.sealId}. Keep its capability secret until you redeem it.`;
      const standing = {
        seal: { ...seal, redemption: null, refused: 0 },
        state: 'issued',
      } as const;
      return signStep(deps, context, { action, standing, headline, capability: secret });
    }
    case 'redeem': {
      const order = { sealId, capability, deliverableSha256, paymentId };
      const at = await holdSeal(deps, order);
      const { seal } = await readOwnSeal(deps.seals, order);
      const redemption = { paymentId, deliverableSha256, at };
      const standing = { seal: { ...seal, redemption }, state: 'redeemed' } as const;
      return signStep(deps, context, { action, standing, headline: `Redeemed, once: ${sealId}.` });
    }
    case 'check': {
      const standing = await readSeal(deps.seals, sealId);
      const headline = `${standing.state}: ${sealId}.`;
      const result = signStep(deps, context, { action, standing, headline });
      return withProof(result, standing.record, sealId);
    }
  }
}

/** The payload of a step, signed before its payment settled. */
const Signed = z.object({ payload: Output.shape.payload });

/** Issues or redeems the seal with the signed times and names, and adds the log record. */
async function finish(
  { seals }: Ports,
  { capability = '' }: Input,
  { paymentId }: ToolContext,
  result: ToolResult,
): Promise<ToolResult> {
  invariant(paymentId !== undefined, 'a seal needs a payment');
  const { payload } = Signed.parse(result.structuredContent);
  const { action, seal_id: sealId, deliverable_sha256: deliverableSha256 } = payload;
  switch (action) {
    case 'issue': {
      const { as_given: agent, agent_id: agentId, wallet } = payload.agent;
      const { issued_to: payer } = payload;
      const named = { deliverableSha256, agent, agentId, wallet };
      const order = payer === null ? named : { ...named, payer };
      const at = Date.parse(payload.issued_at);
      const { record } = await issueSeal(seals, paymentId, order, at);
      return withProof(result, record, sealId);
    }
    case 'redeem': {
      const at = Date.parse(payload.redeemed?.at ?? '');
      const order = { sealId, capability, deliverableSha256, paymentId, at };
      const { record } = await redeemSeal(seals, order);
      return withProof(result, record, sealId);
    }
    case 'check':
      return result;
  }
}

/** The parts of a seal that an answer contains. */
type ShownSeal = Pick<SealState, 'state'> & {
  readonly seal: Pick<
    SealState['seal'],
    | ('sealId' | 'deliverableSha256' | 'agent' | 'agentId' | 'wallet' | 'payer')
    | ('issuedAt' | 'lifeMs' | 'redemption' | 'refused')
  >;
};

interface Step {
  readonly action: Input['action'];
  readonly standing: ShownSeal;
  readonly headline: string;
  readonly capability?: string;
}

function signStep(
  deps: Ports,
  context: ToolContext,
  { action, standing, headline, capability }: Step,
): ToolResult {
  const { seal } = standing;
  return signAnswer(deps, context, {
    kind: `single_use_seal_${action}`,
    payload: { action, ...toPayload(standing) },
    headline,
    why: isConfirmed(seal)
      ? `Its agent ${seal.agent} requested the seal.`
      : `${describeClaim(seal)} This is not verified.`,
    lines: [
      ...(capability === undefined ? [] : [`capability: ${capability}`]),
      `Deliverable ${seal.deliverableSha256}.`,
    ],
    ...(capability === undefined ? {} : { more: { capability } }),
  });
}

function describeClaim({ agent, payer }: ShownSeal['seal']): string {
  return `${payer ?? 'The payer'} claims that ${agent} produced it; ${agent} did not confirm it.`;
}

function withProof(result: ToolResult, { seq }: ProofRecord, sealId: string): ToolResult {
  const all = `/v1/proofs/records?ref=${sealId}`;
  const seal_proof: JsonObject = { seq, file: `/v1/proofs/${seq}.json`, all };
  return { ...result, structuredContent: { ...result.structuredContent, seal_proof } };
}

function toPayload({ seal, state }: ShownSeal): JsonObject {
  const { redemption, payer = null } = seal;
  const confirmed = isConfirmed(seal);
  const known = seal.agentId === null ? [] : [`${seal.agent} is ${seal.agentId} in the registry`];
  return {
    seal_id: seal.sealId,
    state,
    deliverable_sha256: seal.deliverableSha256,
    agent: { as_given: seal.agent, agent_id: seal.agentId, wallet: seal.wallet, confirmed },
    issued_to: payer,
    basis: {
      verified: ['when the seal was issued and used, and that it is used only once', ...known],
      claimed: confirmed ? [] : [describeClaim(seal)],
    },
    issued_at: toIsoTime(seal.issuedAt),
    valid_until: toIsoTime(seal.issuedAt + seal.lifeMs),
    redeemed:
      redemption === null
        ? null
        : { at: toIsoTime(redemption.at), deliverable_sha256: redemption.deliverableSha256 },
    refused_uses: seal.refused,
  };
}
