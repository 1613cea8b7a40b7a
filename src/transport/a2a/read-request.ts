import type { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { headerOf, headerValues } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { errorReply } from '../proof/replies.ts';

const RECEIVED_CHARS_MAX = 200;
/** Attribution tag, accepted on every path. It is recorded and has no effect. */
const SRC = 'src';
const SRC_CHARS_MAX = 100;
const JSON_TYPE = /^application\/json(\s*;.*)?$/i;

/** Returns the path and query as the wallet signs them: unchanged. */
export function signedPath({ path, query }: HttpRequest): string {
  return query === '' ? path : `${path}?${query}`;
}

/**
 * Reads optional query parameters, each at most once, and `src`.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function readOptionalQuery<Name extends string>(
  query: string,
  names: readonly Name[],
): Partial<Record<Name | 'src', string>> {
  const asked = [...new URLSearchParams(query)];
  const allowed: readonly string[] = [...names, SRC];
  const values = Object.fromEntries(asked);
  const isValid =
    Object.keys(values).length === asked.length &&
    asked.every(([name]) => allowed.includes(name)) &&
    (values[SRC] ?? '').length <= SRC_CHARS_MAX;
  if (isValid) return values as Partial<Record<Name | 'src', string>>;
  throw new AppError('INPUT_INVALID', {
    message:
      `The query allows ${allowed.join(', ')}, each at most once; ` +
      `src has at most ${SRC_CHARS_MAX} characters.`,
    data: { received: query.slice(0, RECEIVED_CHARS_MAX), allowed },
  });
}

/**
 * Parses a JSON body. An empty body counts as an empty object.
 *
 * @throws {AppError} `INPUT_INVALID` with the content type, text or field that is invalid.
 */
export function readBody<Value>(
  request: HttpRequest,
  body: Buffer,
  schema: z.ZodType<Value>,
): Value {
  const value = body.length === 0 ? {} : parseJsonBody(request, body);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  const at = path === '' ? '' : ` at "${path}"`;
  throw new AppError('INPUT_INVALID', {
    message: `The body is invalid${at}: ${issue?.message ?? 'unreadable'}`,
    data: { received: valueAt(value, issue?.path ?? []), path, allowed: allowedValues(issue) },
  });
}

/**
 * Returns the only value of a header.
 *
 * @throws {AppError} `INPUT_INVALID` when it was sent more than once.
 */
export function readHeader(request: HttpRequest, name: string): string | undefined {
  const values = headerValues(request, name);
  if (values.length <= 1) return values[0];
  throw new AppError('INPUT_INVALID', {
    message: `The header ${name} was sent more than once.`,
    data: { received: values.length, allowed: 1 },
  });
}

/** Builds the reply to a body over the size limit. */
export function tooLargeReply(bytesMax: number): HttpReply {
  return errorReply(
    new AppError('BODY_TOO_LARGE', {
      message: `The body must have at most ${bytesMax} bytes.`,
      data: { received: `more than ${bytesMax}`, allowed: bytesMax },
    }),
  );
}

function parseJsonBody(request: HttpRequest, body: Buffer): unknown {
  const type = headerOf(request, 'content-type') ?? '';
  if (!JSON_TYPE.test(type)) {
    throw new AppError('INPUT_INVALID', {
      message: 'The body must be JSON with content-type application/json.',
      data: {
        received: { content_type: type.slice(0, RECEIVED_CHARS_MAX) },
        allowed: 'application/json',
      },
    });
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new AppError('INPUT_INVALID', {
      message: 'The body is not valid UTF-8 JSON.',
      data: { received: truncate(body.toString('utf8')), allowed: 'a JSON object' },
    });
  }
}

/** Returns the invalid value, shortened. */
function valueAt(value: unknown, path: readonly PropertyKey[]): string {
  let found = value;
  for (const step of path) found = (found as Record<PropertyKey, unknown> | null)?.[step];
  return found === undefined ? 'nothing' : truncate(stringifySafely(found));
}

/** Serialises a value. A parsed value may be nested too deeply to serialise again. */
function stringifySafely(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'nested too deeply';
  }
}

function allowedValues(issue: z.core.$ZodIssue | undefined): unknown {
  if (issue?.code === 'unrecognized_keys') return { without: issue.keys };
  if (issue?.code === 'invalid_value') return issue.values;
  return issue?.message ?? '';
}

function truncate(text: string): string {
  return text.slice(0, RECEIVED_CHARS_MAX);
}
