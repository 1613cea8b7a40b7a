import { z } from 'zod';
import type { CheckedEvidence } from '../../domain/framework/evidence.ts';
import type { StatementVerdict } from '../../domain/verification/statement.ts';
import type { LinkedAgent } from '../reputation/linked-agent.ts';

const ProcessStatement = z.object({
  attested_at: z.iso.datetime(),
  performer: z.object({ agent_id: z.string().nullable() }),
  claim: z.object({
    process: z.object({ name: z.string(), required_steps: z.array(z.string()) }),
  }),
  findings: z.object({
    is_complete: z.boolean(),
    is_in_order: z.boolean(),
    is_in_the_past: z.boolean(),
    steps_without_evidence: z.int(),
  }),
});

/** Checks a process attestation as evidence about an agent. */
export function checkProcessEvidence(
  { payload }: Extract<StatementVerdict, { readonly isValid: true }>,
  agent: LinkedAgent,
  ageError: (at: string) => string | undefined,
): CheckedEvidence {
  const parsed = ProcessStatement.safeParse(payload);
  if (!parsed.success) return { kind: 'invalid', reason: 'it is not a process attestation' };
  const { performer, claim, findings, attested_at } = parsed.data;
  const { name, required_steps } = claim.process;
  const reason =
    agentError(performer.agent_id, agent) ??
    (required_steps.length === 0 ? 'the process names no required steps' : ageError(attested_at));
  if (reason !== undefined) return { kind: 'invalid', reason };
  const { is_complete, is_in_order, is_in_the_past, steps_without_evidence } = findings;
  const isWhole = is_complete && is_in_order && is_in_the_past && steps_without_evidence === 0;
  return { kind: 'process', name, isWhole };
}

function agentError(performer: string | null, agent: LinkedAgent): string | undefined {
  if (agent.passport === undefined) return agent.fault;
  if (performer === agent.passport.agent_id) return undefined;
  return `it is about ${performer ?? 'an unregistered agent'}, not about the counterparty`;
}
