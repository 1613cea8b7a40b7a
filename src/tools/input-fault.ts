import type { z } from 'zod';
import { AppError } from '../domain/error.ts';
import { isObject } from '../domain/json.ts';

/** Most faults that one answer lists, and most characters of a received value that it shows. */
const FAULTS_MAX = 5;
const RECEIVED_CHARS_MAX = 100;

/** One thing that is wrong with the arguments of a call. */
interface InputFault {
  readonly path: string;
  readonly received: string;
  readonly allowed: string;
}

/** Words what a schema found wrong: where, what came, and what may stand there. */
export function inputFault(error: z.ZodError, received: unknown): AppError {
  const faults = error.issues.slice(0, FAULTS_MAX).map((issue) => faultOf(issue, received));
  const lines = faults.map(
    ({ path, received: got, allowed }) => `${path}: received ${got}, allowed: ${allowed}`,
  );
  return new AppError('INPUT_INVALID', { message: lines.join('; '), data: { faults } });
}

function faultOf(issue: z.core.$ZodIssue, received: unknown): InputFault {
  const path = issue.path.map(String).join('.');
  return {
    path: path || '(arguments)',
    received: shown(at(received, issue.path)),
    ...allowed(issue),
  };
}

function allowed(issue: z.core.$ZodIssue): Pick<InputFault, 'allowed'> {
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
      return { allowed: `no ${issue.keys.join(', ')}` };
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return { allowed: issue.message };
  }
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isObject(inner) ? inner[String(key)] : undefined;
  }, value);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= RECEIVED_CHARS_MAX ? text : `${text.slice(0, RECEIVED_CHARS_MAX)}…`;
}
