import type { RpcOutcome, TargetConnection } from '../../domain/audit/audit-target.ts';
import { deniesName } from '../../domain/audit/denial.ts';
import {
  type CallRules,
  mayName,
  mayNameExisting,
} from '../../domain/audit/probe/call-permission.ts';
import type { Definition } from '../../domain/audit/probe/recon.ts';
import { resultText } from '../../domain/audit/probe/tool-result.ts';
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
export function createProvingCall(
  values: unknown,
  tool: Definition,
  rules: CallRules,
): ProvingCall {
  const places: string[] = [];
  const changed = replaceTexts(values, [], (path, text) => {
    if (!mayNameExisting({ path, value: text }, tool, rules)) return text;
    places.push(path.join('.'));
    return createSimilarName(text, path, rules);
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
  return deniesName(second) && resultText(second) === resultText(first);
}

function createSimilarName(text: string, path: readonly string[], { own }: CallRules): string {
  if (/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(text)) return `https://${own.host}/`;
  return mayName(path) ? own.filePath('proof') : own.canary('proof');
}

function replaceTexts(
  value: unknown,
  path: readonly string[],
  change: (path: readonly string[], text: string) => string,
): unknown {
  if (typeof value === 'string') return change(path, value);
  if (Array.isArray(value)) return value.map((one) => replaceTexts(one, [...path, '0'], change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, replaceTexts(one, [...path, name], change)]),
  );
}
