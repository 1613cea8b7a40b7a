import type { RpcOutcome, TargetConnection } from '../../domain/audit/audit-target.ts';
import type { Definition } from '../../domain/audit/probe/recon.ts';
import { isNaming, mayExist, type SendingRules } from '../../domain/audit/probe/sending.ts';
import { answerText } from '../../domain/audit/probe/tool-answer.ts';
import { deniesName } from '../../domain/audit/refusal.ts';
import { isObject } from '../../domain/common/json.ts';

/** Answer timeout in milliseconds. */
const ANSWER_MS = 8_000;
const CALL = 'tools/call';

/** A call in which names that may exist are replaced with audit names. */
export interface ProvingCall {
  readonly values: unknown;
  /** Paths of the replaced values. */
  readonly places: readonly string[];
}

/** Replaces names that may exist with audit names. */
export function provingCall(values: unknown, tool: Definition, rules: SendingRules): ProvingCall {
  const places: string[] = [];
  const changed = replaced(values, [], (path, text) => {
    if (!mayExist({ path, value: text }, tool, rules)) return text;
    places.push(path.join('.'));
    return ownLike(text, path, rules);
  });
  return { values: changed, places };
}

/**
 * Returns whether a supposed reader answers twice, identically, that a nonexistent name does not
 * exist. A tool that accepts any name may have created it, so it never gets an existing one.
 */
export async function isReaderProven(
  connection: TargetConnection,
  name: unknown,
  values: unknown,
): Promise<boolean> {
  const ask = async (): Promise<RpcOutcome> =>
    await connection.request(CALL, { name, arguments: values }, { deadlineMs: ANSWER_MS });
  const first = await ask();
  if (!deniesName(first)) return false;
  const second = await ask();
  return deniesName(second) && answerText(second) === answerText(first);
}

function ownLike(text: string, path: readonly string[], { own }: SendingRules): string {
  if (/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(text)) return `https://${own.host}/`;
  return isNaming(path) ? own.path('proof') : own.text('proof');
}

function replaced(
  value: unknown,
  path: readonly string[],
  change: (path: readonly string[], text: string) => string,
): unknown {
  if (typeof value === 'string') return change(path, value);
  if (Array.isArray(value)) return value.map((one) => replaced(one, [...path, '0'], change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, replaced(one, [...path, name], change)]),
  );
}
