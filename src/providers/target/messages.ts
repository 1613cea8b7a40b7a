import type { Greeting, RpcOutcome } from '../../domain/audit/audit-target.ts';
import { isObject } from '../../domain/common/json.ts';
import { parseBounded } from '../../domain/common/json-bounds.ts';

/** The newest version of the protocol with sessions; a target may answer with an older one. */
export const PROTOCOL_VERSION = '2025-11-25';
/** Bytes of one answer that are read. */
export const ANSWER_BYTES_MAX = 1_000_000;
/** Unasked messages of one connection that are kept. */
export const UNASKED_MAX = 200;

/** Parameters of `initialize`. It declares no capability: nothing is to be asked of us. */
export const INITIALIZE = {
  protocolVersion: PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'stoa-audit', version: '1' },
} as const;

/** Parses one JSON text; `undefined` when it is none, or nested too deep or too large. */
export function parseJson(text: string): unknown {
  return parseBounded(text);
}

/** The answer to a request among parsed messages, whatever else is there. */
export function answerTo(id: number | string, messages: readonly unknown[]): unknown {
  return messages.find(
    (message) =>
      isObject(message) && message['id'] === id && ('result' in message || 'error' in message),
  );
}

/** Facts that every outcome has. */
export type OutcomeFacts = Pick<RpcOutcome, 'ms' | 'raw' | 'sent'>;

/** Words a JSON-RPC answer as an outcome, without judging what stands in it. */
export function outcomeOf(answer: unknown, facts: OutcomeFacts): RpcOutcome {
  if (!isObject(answer)) return { kind: 'broken', reason: 'no JSON-RPC answer', ...facts };
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

/** Reads the greeting leniently; `undefined` when the answer is none. */
export function greetingOf(result: unknown): Greeting | undefined {
  if (!isObject(result) || typeof result['protocolVersion'] !== 'string') return undefined;
  const info = isObject(result['serverInfo']) ? result['serverInfo'] : {};
  const { instructions } = result;
  return {
    protocolVersion: result['protocolVersion'],
    serverInfo: { name: textOf(info['name']), version: textOf(info['version']) },
    capabilities: isObject(result['capabilities']) ? result['capabilities'] : {},
    instructions: typeof instructions === 'string' ? instructions : null,
  };
}

/** The greeting of a session that was begun elsewhere. */
export const NO_GREETING: Greeting = {
  protocolVersion: PROTOCOL_VERSION,
  serverInfo: { name: '', version: '' },
  capabilities: {},
  instructions: null,
};

/** True for requests of the target to us, which are answered with a refusal. */
export function isRequestToUs(message: unknown): message is { id: unknown; method: string } {
  return isObject(message) && 'id' in message && typeof message['method'] === 'string';
}

/** What a request of the target to us is answered with. */
export function refusalOf(message: { id: unknown; method: string }): string {
  const { id, method } = message;
  if (method === 'ping') return JSON.stringify({ jsonrpc: '2.0', id, result: {} });
  const error = { code: -32601, message: 'An audit answers no requests.' };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
