import { z } from 'zod';
import type { CheckedEvidence } from '../../domain/framework/evidence.ts';
import type { PassportView } from '../../domain/passport/passport.ts';
import type { StatementVerdict } from '../../domain/verify/statement.ts';

const Shown = z.object({
  attested_at: z.iso.datetime(),
  performer: z.object({ agent_id: z.string().nullable() }),
  claim: z.object({
    process: z.object({ name: z.string(), required_steps: z.array(z.string()) }),
  }),
  findings: z.object({
    ...{ is_complete: z.boolean(), is_in_order: z.boolean(), is_in_the_past: z.boolean() },
    steps_without_evidence: z.int(),
  }),
});

/** Reads a process attestation as evidence about an agent. */
export function shownProcess(
  { payload }: Extract<StatementVerdict, { readonly isValid: true }>,
  passport: PassportView | undefined,
  ageFault: (at: string) => string | undefined,
): CheckedEvidence {
  const parsed = Shown.safeParse(payload);
  if (!parsed.success) return { kind: 'invalid', reason: 'it is no process attestation' };
  const { performer, claim, findings, attested_at } = parsed.data;
  const { name, required_steps } = claim.process;
  const reason =
    passport === undefined || performer.agent_id !== passport.agent_id
      ? `it is about ${performer.agent_id ?? 'nobody registered'}, not about the counterparty`
      : required_steps.length === 0
        ? 'the process names no required steps'
        : ageFault(attested_at);
  if (reason !== undefined) return { kind: 'invalid', reason };
  const { is_complete, is_in_order, is_in_the_past, steps_without_evidence } = findings;
  const isWhole = is_complete && is_in_order && is_in_the_past && steps_without_evidence === 0;
  return { kind: 'process', name, isWhole };
}
