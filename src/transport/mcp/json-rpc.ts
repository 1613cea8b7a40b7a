import { isObject } from '../../domain/common/json.ts';

/** The id of a JSON-RPC request. */
export type RpcId = string | number;

/** A validated JSON-RPC message. */
export type RpcMessage =
  | {
      readonly kind: 'request';
      readonly id: RpcId;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly raw: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: 'notification';
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly raw: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'response'; readonly raw: Readonly<Record<string, unknown>> };

/** A client request. */
export type RpcRequest = Extract<RpcMessage, { kind: 'request' }>;

/** JSON-RPC error codes, including those of the MCP transport. */
export const RPC = {
  PARSE: -32_700,
  INVALID_REQUEST: -32_600,
  METHOD_UNKNOWN: -32_601,
  PARAMS: -32_602,
  INTERNAL: -32_603,
  REFUSED: -32_000,
  SESSION_UNKNOWN: -32_001,
  RESOURCE_UNKNOWN: -32_002,
} as const;

const NO_PARAMS: Readonly<Record<string, unknown>> = {};
/** Longest accepted id, in characters. */
const ID_CHARS_MAX = 256;

/** Validates one message. Returns `undefined` when it is invalid. */
export function readMessage(value: unknown): RpcMessage | undefined {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params = NO_PARAMS } = value;
  if (method === undefined) return isResponse(value) ? { kind: 'response', raw: value } : undefined;
  if (typeof method !== 'string' || !isObject(params)) return undefined;
  if (params['_meta'] !== undefined && !isMeta(params['_meta'])) return undefined;
  if (id === undefined) return { kind: 'notification', method, params, raw: value };
  return isId(id) ? { kind: 'request', id, method, params, raw: value } : undefined;
}

/** Returns whether a value is a valid request id. */
export function isId(id: unknown): id is RpcId {
  if (typeof id === 'string') return id.length <= ID_CHARS_MAX;
  return typeof id === 'number' && Number.isSafeInteger(id);
}

/** Builds a response from a result that is already JSON. */
export function resultJson(id: RpcId, result: string): string {
  const text = typeof id === 'number' ? String(id) : JSON.stringify(id);
  return `{"jsonrpc":"2.0","id":${text},"result":${result}}`;
}

/** Builds an error response. `id` is null when the request was unreadable. */
export function errorJson(id: RpcId | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

/** Builds a notification. */
export function notificationJson(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

function isMeta(meta: unknown): boolean {
  if (!isObject(meta)) return false;
  const { progressToken: token } = meta;
  return token === undefined || typeof token === 'string' || Number.isSafeInteger(token);
}

function isResponse(value: Record<string, unknown>): boolean {
  return isId(value['id']) && (value['result'] !== undefined || isObject(value['error']));
}
