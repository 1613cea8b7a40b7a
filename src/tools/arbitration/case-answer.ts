import type { z } from 'zod';
import type { CaseView } from '../../domain/arbitration/case-view.ts';
import type { VerdictPayload } from '../../domain/arbitration/result.ts';
import { AppError } from '../../domain/common/error.ts';
import { type JsonObject, tryParseJson } from '../../domain/common/json.ts';
import { composeResult, formatCost } from '../../domain/tool/result-text.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** Formats an arbitration for one of its parties. */
export function formatCase(view: CaseView, origin?: string): ToolResult {
  const { state, your_side: side, evidence, sides, window_ends_at: end, payload } = view;
  const { board_job_id: boardJobId, arbiter, statement } = view;
  const own = evidence.filter((row) => row.side === side);
  const window =
    `Your evidence: ${own.length} pieces (${sides[side]}); ` + `the window closes at ${end}.`;
  const text = composeResult({
    answer:
      payload === null
        ? `Arbitration of ${boardJobId}: ${state}; you are the ${side}.`
        : `Verdict: ${payload.verdict}.`,
    why: payload === null ? `the case is ${state}.` : formatVotes(payload.votes),
    decidedBy: arbiter,
    cost: formatCost(undefined),
    see: `/a2a/jobs/${boardJobId}`,
    origin,
    details: [window],
    proofs: [
      ...own.map(({ evidence_id: id, sha256 }) => `SHA-256 of ${id} ${sha256}`),
      ...(statement === null ? [] : [`verdict signed by ${statement.signature.signer}`]),
    ],
  });
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(JSON.stringify(view)) as JsonObject,
  };
}

function formatVotes({ upheld, overturned, seats }: VerdictPayload['votes']): string {
  return `${upheld} of ${seats} seats upheld the settlement, ${overturned} overturned it.`;
}

/**
 * Parses the JSON of a signed body.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function parseSignedBody<Value>(body: string, schema: z.ZodType<Value>): Value {
  const parsed = schema.safeParse(tryParseJson(body));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = `evidence.body.${issue?.path.join('.') ?? ''}`;
  throw new AppError('INPUT_INVALID', {
    message: `The body does not match the schema at "${path}": ${issue?.message ?? 'unreadable'}`,
    data: { path, received: body.slice(0, 200), allowed: issue?.message ?? 'a JSON object' },
  });
}
