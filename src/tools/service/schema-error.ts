import type { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import type { Tool } from '../../domain/tool/tool.ts';

/** Maximum number of errors in one answer, and maximum characters of a received value. */
const ERRORS_MAX = 5;
const RECEIVED_CHARS_MAX = 100;

/** One invalid argument of a call. */
interface ArgumentError {
  readonly path: string;
  readonly received: string;
  readonly allowed: string;
}

/**
 * Converts a schema error to an `INPUT_INVALID` error that states per argument its path, the
 * received value and what is allowed.
 *
 * @param words - `hides`: parameters whose values must not be repeated; `unsupported`: messages for
 * parameters that do not exist here.
 */
export function schemaError(
  error: z.ZodError,
  received: unknown,
  words: Pick<Tool, 'hides' | 'unsupported'> = {},
): AppError {
  const issues = error.issues.flatMap(splitUnknownKeys).slice(0, ERRORS_MAX);
  const faults = issues.map((issue) => toArgumentError(issue, received, words));
  const lines = faults.map(
    ({ path, received: got, allowed }) => `${path}: received ${got}, allowed: ${allowed}`,
  );
  return new AppError('INPUT_INVALID', { message: lines.join('; '), data: { faults } });
}

/** Splits an issue about unknown keys into one per key, so that each is reported with its value. */
function splitUnknownKeys(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  const keys = issue.keys.slice(0, ERRORS_MAX);
  return keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
}

function toArgumentError(
  issue: z.core.$ZodIssue,
  received: unknown,
  { hides = [], unsupported = {} }: Pick<Tool, 'hides' | 'unsupported'>,
): ArgumentError {
  const path = issue.path.map(String).join('.');
  const value = valueAt(received, issue.path);
  const isUnknown =
    issue.code === 'unrecognized_keys' && !Object.hasOwn(unsupported, issue.keys[0] ?? '');
  const isHidden = hides.length > 0 && (isUnknown || hides.includes(String(issue.path[0])));
  return {
    path: path || '(arguments)',
    received: isHidden && value !== undefined ? `(hidden ${typeof value})` : previewValue(value),
    ...describeAllowed(issue, unsupported),
  };
}

function describeAllowed(
  issue: z.core.$ZodIssue,
  unsupported: Readonly<Record<string, string>>,
): Pick<ArgumentError, 'allowed'> {
  switch (issue.code) {
    case 'invalid_type':
      return { allowed: issue.expected };
    case 'invalid_value':
      return { allowed: issue.values.map(String).join(' | ') };
    case 'too_small':
      return { allowed: `at least ${issue.minimum}` };
    case 'too_big':
      return { allowed: `at most ${issue.maximum}` };
    case 'unrecognized_keys':
      return { allowed: describeUnknownKey(issue.keys[0] ?? '', unsupported) };
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return { allowed: issue.message };
  }
}

function describeUnknownKey(key: string, unsupported: Readonly<Record<string, string>>): string {
  const said = Object.hasOwn(unsupported, key) ? unsupported[key] : undefined;
  return said ?? 'no parameter of this name';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isObject(inner) ? inner[String(key)] : undefined;
  }, value);
}

function previewValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= RECEIVED_CHARS_MAX ? text : `${text.slice(0, RECEIVED_CHARS_MAX)}…`;
}
