import type { z } from 'zod';
import type { CaseView } from '../../domain/arbitration/case-view.ts';
import { AppError } from '../../domain/common/error.ts';
import { type JsonObject, tryParseJson } from '../../domain/common/json.ts';
import { joinResponse } from '../../domain/common/readable.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** Formats an arbitration for one of its parties. */
export function formatCase(view: CaseView): ToolResult {
  const { state, your_side: side, evidence, sides, window_ends_at: end, payload } = view;
  const own = evidence.filter((row) => row.side === side);
  const lines = [
    payload === null
      ? `Arbitration of ${view.board_job_id}: ${state}; you are the ${side}.`
      : `Verdict: ${payload.verdict}. Arbiter: ${view.arbiter}.`,
    `Your evidence: ${own.length} pieces (${sides[side]}); the window closes at ${end}.`,
    ...own.map(({ evidence_id: id, sha256 }) => `${id}: SHA-256 ${sha256}`),
  ];
  return {
    content: [{ type: 'text', text: joinResponse(lines) }],
    structuredContent: JSON.parse(JSON.stringify(view)) as JsonObject,
  };
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
