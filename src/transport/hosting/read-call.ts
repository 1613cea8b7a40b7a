import type { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import {
  IDEMPOTENCY_KEY_CHARS_MAX,
  IDEMPOTENCY_KEY_HEADER,
} from '../../domain/hosting/api-shapes.ts';
import { INPUT_CHARS_MAX } from '../../tools/hosting/inputs.ts';
import { parameterError } from '../../tools/hosting/parameter-error.ts';
import { schemaError } from '../../tools/service/schema-error.ts';
import { readHeader } from '../a2a/read-request.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpExchange, HttpRequest } from '../http/host.ts';
import { checkBounds } from '../mcp/json-bounds.ts';
import type { ApiRoute } from './api-route.ts';

const JSON_TYPE = /^application\/json(\s*;.*)?$/i;
/** Visible ASCII: the characters of an idempotency key. */
const ORDER_KEY = /^[\x21-\x7e]+$/;

/** The parts of a request, parsed with the schemas of its operation. */
export interface ReadCall {
  readonly query: unknown;
  readonly body: unknown;
  readonly key: string | undefined;
}

/**
 * Parses a request with the schemas of its operation.
 *
 * @throws {AppError} `INPUT_INVALID` with the field, the value received and the values allowed;
 * `BODY_TOO_LARGE` for a body that would take too long to parse.
 */
export function readCall(route: ApiRoute, { request, body }: HttpExchange): ReadCall {
  return {
    query: readQuery(route, request.query),
    body: readBody(route, request, body),
    key: readKey(route, request),
  };
}

/**
 * Decodes and checks one path parameter.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function readPart(name: string, text: string): string {
  const value = decodePart(text);
  const allowed = `1 to ${INPUT_CHARS_MAX.id} characters, without control characters`;
  if (value === undefined || value.length > INPUT_CHARS_MAX.id || /\p{Cc}/u.test(value)) {
    throw parameterError({ path: name, received: value ?? text, allowed });
  }
  return value;
}

function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function readQuery({ query: schema, repeated = [] }: ApiRoute, text: string): unknown {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  const collected = Object.fromEntries(
    [...found].map(([name, values]) => [
      name,
      values.length === 1 && !repeated.includes(name) ? values[0] : values,
    ]),
  );
  if (schema !== undefined) return parseWith(schema, collected, {});
  const [name] = found.keys();
  if (name === undefined) return undefined;
  throw parameterError({ path: name, received: collected[name], allowed: 'no query parameters' });
}

function readBody({ body: schema, hides = [] }: ApiRoute, request: HttpRequest, body: Buffer) {
  if (schema === undefined) {
    if (body.length === 0) return undefined;
    throw parameterError({ path: '(body)', received: `${body.length} bytes`, allowed: 'no body' });
  }
  const type = headerOf(request, 'content-type') ?? '';
  if (!JSON_TYPE.test(type)) {
    throw parameterError({ path: 'content-type', received: type, allowed: 'application/json' });
  }
  const fault = checkBounds(body);
  if (fault !== undefined) throw fault;
  return parseWith(schema, parseJson(body), { hides });
}

/** Parses a body. Its text is not repeated in errors, as it may contain secrets. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    const fault = { path: '(body)', received: `${body.length} bytes`, allowed: 'JSON in UTF-8' };
    throw parameterError({ ...fault, cause });
  }
}

function parseWith(
  schema: z.ZodType,
  value: unknown,
  options: { readonly hides?: readonly string[] },
) {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw schemaError(result.error, value, options);
}

function readKey({ takesKey = false }: ApiRoute, request: HttpRequest): string | undefined {
  const key = readHeader(request, IDEMPOTENCY_KEY_HEADER);
  if (key === undefined) return undefined;
  if (!takesKey) {
    const message = `${IDEMPOTENCY_KEY_HEADER}: received, allowed: only with create requests`;
    throw new AppError('INPUT_INVALID', { message, data: { path: IDEMPOTENCY_KEY_HEADER } });
  }
  if (key.length <= IDEMPOTENCY_KEY_CHARS_MAX && ORDER_KEY.test(key)) return key;
  const allowed = `1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible characters`;
  throw parameterError({ path: IDEMPOTENCY_KEY_HEADER, received: key, allowed });
}
