import type { Greeting, RpcOutcome } from '../../domain/audit/audit-target.ts';
import { isObject } from '../../domain/common/json.ts';
import { parseJsonWithin } from '../../domain/common/json-bounds.ts';

/** The newest protocol version with sessions. A target may answer with an older one. */
export const PROTOCOL_VERSION = '2025-11-25';
/** Most bytes of one answer. */
export const ANSWER_BYTES_MAX = 1_000_000;
/** Most unsolicited messages kept per connection. */
export const UNSOLICITED_MAX = 200;

/**
 * Parameters of `initialize`. They declare no capabilities, so the target should request nothing.
 */
export const INITIALIZE_PARAMS = {
  protocolVersion: PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'stoa-audit', version: '1' },
} as const;

/** Parses JSON. Returns `undefined` if it is invalid, too deeply nested or too large. */
export function parseJson(text: string): unknown {
  return parseJsonWithin(text);
}

/** Finds the answer to a request among parsed messages. */
export function findAnswer(id: number | string, messages: readonly unknown[]): unknown {
  return messages.find(
    (message) =>
      isObject(message) && message['id'] === id && ('result' in message || 'error' in message),
  );
}

/** The facts of every outcome. */
export type OutcomeFacts = Pick<RpcOutcome, 'ms' | 'raw' | 'sent'>;

/** Converts a JSON-RPC answer to an outcome without judging its content. */
export function toOutcome(answer: unknown, facts: OutcomeFacts): RpcOutcome {
  if (!isObject(answer)) return { kind: 'broken', reason: 'not a JSON-RPC answer', ...facts };
  if ('result' in answer) return { kind: 'result', result: answer['result'], ...facts };
  const { code, message, data } = isObject(answer['error']) ? answer['error'] : {};
  return {
    kind: 'error',
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
    ...facts,
  };
}

/** Parses the result of `initialize` leniently. Returns `undefined` if it is not one. */
export function parseGreeting(result: unknown): Greeting | undefined {
  if (!isObject(result) || typeof result['protocolVersion'] !== 'string') return undefined;
  const info = isObject(result['serverInfo']) ? result['serverInfo'] : {};
  const { instructions } = result;
  return {
    protocolVersion: result['protocolVersion'],
    serverInfo: { name: toText(info['name']), version: toText(info['version']) },
    capabilities: isObject(result['capabilities']) ? result['capabilities'] : {},
    instructions: typeof instructions === 'string' ? instructions : null,
  };
}

/** The greeting of a session that was started elsewhere. */
export const NO_GREETING: Greeting = {
  protocolVersion: PROTOCOL_VERSION,
  serverInfo: { name: '', version: '' },
  capabilities: {},
  instructions: null,
};

/** Returns whether a message is a request from the target, which gets an error answer. */
export function isTargetRequest(message: unknown): message is { id: unknown; method: string } {
  return isObject(message) && 'id' in message && typeof message['method'] === 'string';
}

/** Creates the answer to a request from the target. */
export function createErrorAnswer(message: { id: unknown; method: string }): string {
  const { id, method } = message;
  if (method === 'ping') return JSON.stringify({ jsonrpc: '2.0', id, result: {} });
  const error = { code: -32601, message: 'The audit client supports no requests.' };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
