import { paramFault, protocolFault } from '../../domain/agent-protocol/fault.ts';
import {
  A2A_METHODS,
  A2A_VERSION,
  type A2aMethod,
  type ParamsOf,
} from '../../domain/agent-protocol/wire.ts';
import { isObject } from '../../domain/common/json.ts';
import { readOptionalQuery } from '../a2a/read-request.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { charsetReply, ERROR_REPLIES } from '../mcp/error-replies.ts';
import { isId, type RpcId } from '../mcp/json-rpc.ts';
import { parseBody } from '../mcp/read-post.ts';

const CONTENT_TYPES: readonly string[] = ['application/json', 'application/a2a+json'];
const UTF_8: readonly string[] = ['utf-8', 'utf8'];
const VERSION_HEADER = 'a2a-version';
const VERSION_PARAMETER = 'A2A-Version';
/** Longest value that an error repeats, in characters. */
const RECEIVED_CHARS_MAX = 80;

/** A JSON-RPC request whose parameters are not checked yet. */
export interface RpcCall {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** Reads the JSON-RPC request of a POST, or returns the reply to what is none. */
export function readRpc(request: HttpRequest, body: Buffer): RpcCall | HttpReply {
  const refusal = checkContentType(headerOf(request, 'content-type') ?? '');
  if (refusal !== undefined) return refusal;
  const parsed = parseBody(body);
  if (!('value' in parsed)) return parsed;
  const { value } = parsed;
  if (!isObject(value)) return Array.isArray(value) ? ERROR_REPLIES.batch : ERROR_REPLIES.message;
  const { jsonrpc, id, method, params = {} } = value;
  const isRequest = jsonrpc === '2.0' && isId(id) && typeof method === 'string';
  return isRequest ? { id, method, params } : ERROR_REPLIES.message;
}

/**
 * Checks the version of a request, and returns its attribution tag.
 *
 * @throws {AppError} A fault that names the served version.
 */
export function readVersion(request: HttpRequest): { readonly src?: string } {
  const { src, [VERSION_PARAMETER]: parameter } = readOptionalQuery(request.query, [
    VERSION_PARAMETER,
  ]);
  const version = (headerOf(request, VERSION_HEADER) ?? parameter ?? '').trim();
  // Patch numbers do not matter.
  const isServed = version === A2A_VERSION || version.startsWith(`${A2A_VERSION}.`);
  if (isServed) return src === undefined ? {} : { src };
  const shown = version.slice(0, RECEIVED_CHARS_MAX);
  throw protocolFault('VERSION_NOT_SUPPORTED', {
    message:
      version === ''
        ? `The header A2A-Version is missing, which means 0.3; it must be ${A2A_VERSION}.`
        : `A2A-Version is ${JSON.stringify(shown)}; it must be ${A2A_VERSION}.`,
    received: version === '' ? '0.3' : shown,
    allowed: [A2A_VERSION],
  });
}

/** Returns whether a method is served. */
export function isMethod(method: string): method is A2aMethod {
  return Object.hasOwn(A2A_METHODS, method);
}

/**
 * Parses the parameters of a method.
 *
 * @throws {AppError} A fault that names the field.
 */
export function readParams<Method extends A2aMethod>(
  method: Method,
  params: unknown,
): ParamsOf<Method> {
  const parsed = A2A_METHODS[method].safeParse(params);
  if (parsed.success) return parsed.data as ParamsOf<Method>;
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  const field = path.join('.') || 'params';
  let value = params;
  for (const step of path) value = Object(value)[step];
  throw paramFault(field, {
    message: `\`${field}\` is invalid: ${issue?.message ?? 'unreadable'}.`,
    received: (JSON.stringify(value) ?? 'nothing').slice(0, RECEIVED_CHARS_MAX),
    allowed: issue?.code === 'invalid_value' ? issue.values : issue?.message,
  });
}

function checkContentType(contentType: string): HttpReply | undefined {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (!CONTENT_TYPES.includes(type.trim())) return ERROR_REPLIES.contentType;
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=').map((text) => text.trim());
    const charset = value.replaceAll('"', '');
    if (name === 'charset' && !UTF_8.includes(charset)) return charsetReply(charset);
  }
  return undefined;
}
