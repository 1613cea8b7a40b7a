import type { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { ORDER_KEY_CHARS_MAX, ORDER_KEY_HEADER } from '../../domain/hosting/api-shapes.ts';
import { parameterFault } from '../../tools/hosting/fault.ts';
import { INPUT_CHARS_MAX } from '../../tools/hosting/inputs.ts';
import { inputFault } from '../../tools/service/input-fault.ts';
import { readHeader } from '../a2a/ask.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpExchange, HttpRequest } from '../http/host.ts';
import { boundsFault } from '../mcp/json-bounds.ts';
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
  const value = decoded(text);
  const allowed = `1 to ${INPUT_CHARS_MAX.id} characters, without control characters`;
  if (value === undefined || value.length > INPUT_CHARS_MAX.id || /\p{Cc}/u.test(value)) {
    throw parameterFault({ path: name, received: value ?? text, allowed });
  }
  return value;
}

function decoded(text: string): string | undefined {
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
  const said = Object.fromEntries(
    [...found].map(([name, values]) => [
      name,
      values.length === 1 && !repeated.includes(name) ? values[0] : values,
    ]),
  );
  if (schema !== undefined) return parsed(schema, said, {});
  const [name] = found.keys();
  if (name === undefined) return undefined;
  throw parameterFault({ path: name, received: said[name], allowed: 'no query parameters' });
}

function readBody({ body: schema, hides = [] }: ApiRoute, request: HttpRequest, body: Buffer) {
  if (schema === undefined) {
    if (body.length === 0) return undefined;
    throw parameterFault({ path: '(body)', received: `${body.length} bytes`, allowed: 'no body' });
  }
  const type = headerOf(request, 'content-type') ?? '';
  if (!JSON_TYPE.test(type)) {
    throw parameterFault({ path: 'content-type', received: type, allowed: 'application/json' });
  }
  const fault = boundsFault(body);
  if (fault !== undefined) throw fault;
  return parsed(schema, jsonOf(body), { hides });
}

/** Parses a body. Its text is not repeated in errors, as it may contain secrets. */
function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    const fault = { path: '(body)', received: `${body.length} bytes`, allowed: 'JSON in UTF-8' };
    throw parameterFault({ ...fault, cause });
  }
}

function parsed(schema: z.ZodType, value: unknown, words: { readonly hides?: readonly string[] }) {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw inputFault(result.error, value, words);
}

function readKey({ takesKey = false }: ApiRoute, request: HttpRequest): string | undefined {
  const key = readHeader(request, ORDER_KEY_HEADER);
  if (key === undefined) return undefined;
  if (!takesKey) {
    const message = `${ORDER_KEY_HEADER}: received, allowed: only with create requests`;
    throw new AppError('INPUT_INVALID', { message, data: { path: ORDER_KEY_HEADER } });
  }
  if (key.length <= ORDER_KEY_CHARS_MAX && ORDER_KEY.test(key)) return key;
  const allowed = `1 to ${ORDER_KEY_CHARS_MAX} visible characters`;
  throw parameterFault({ path: ORDER_KEY_HEADER, received: key, allowed });
}
