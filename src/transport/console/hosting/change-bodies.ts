import { isIP } from 'node:net';
import { z } from 'zod';
import { AppError } from '../../../domain/common/error.ts';
import { EnvVars } from '../../../tools/hosting/service/service-fields.ts';

/** Limits of an allowlist: its ranges, and the length of a description in characters. */
export const ALLOW_LIST_BOUNDS = { ranges: 100, descriptionChars: 200 } as const;
/**
 * Largest body of a change, in bytes. It fits all variables of a service, however they are escaped.
 */
export const CHANGE_BYTES_MAX = 2_097_152;
const RECEIVED_CHARS_MAX = 100;

/** The full list of environment variables. */
export const EnvBody = z.strictObject({ envVars: EnvVars });
/** The options of a new deploy. */
export const DeployBody = z.strictObject({ clearCache: z.boolean().default(false) });
/** Whether a database is stopped. */
export const SuspensionBody = z.strictObject({ suspended: z.boolean() });
/** The name of the resource to delete, which the operator has typed. */
export const RemovalBody = z.strictObject({ name: z.string() });
/** The body of a change without input. */
export const NoBody = z.strictObject({});

/** The full list of networks that may connect from outside. */
export const AllowListBody = z.strictObject({
  ranges: z
    .array(
      z.strictObject({
        cidrBlock: z
          .string()
          .refine(isCidrBlock, 'an address and prefix, such as 203.0.113.7/32 or 2001:db8::/48'),
        description: z
          .string()
          .max(ALLOW_LIST_BOUNDS.descriptionChars)
          .refine((text) => !/\p{Cc}/u.test(text), 'a text without control characters')
          .default(''),
      }),
    )
    .max(ALLOW_LIST_BOUNDS.ranges)
    .superRefine((ranges, context) => {
      const blocks = ranges.map(({ cidrBlock }) => cidrBlock);
      const repeated = blocks.findIndex((block, at) => blocks.indexOf(block) < at);
      if (repeated < 0) return;
      context.addIssue({
        code: 'custom',
        path: [repeated, 'cidrBlock'],
        message: 'a unique range',
      });
    }),
});

/**
 * Parses the body of a change.
 *
 * @param hides - The body is secret, so errors do not repeat it.
 * @throws {AppError} `INPUT_INVALID` with the invalid field and the allowed values.
 */
export function parseChange<Value>(schema: z.ZodType<Value>, body: Buffer, hides: boolean): Value {
  const value = jsonOf(body);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const isUnknown = issue?.code === 'unrecognized_keys';
  const steps = isUnknown ? [...issue.path, issue.keys[0] ?? ''] : (issue?.path ?? []);
  const path = steps.join('.').slice(0, RECEIVED_CHARS_MAX);
  const allowed = isUnknown ? 'nothing: the field does not exist' : (issue?.message ?? '');
  const received = hides ? 'a hidden value' : describeValue(valueAt(value, steps));
  throw invalidInput(path, received, allowed);
}

/**
 * Checks that the typed name is that of the resource.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function requireName(typed: string, name: string): void {
  if (typed === name) return;
  throw invalidInput('name', describeValue(typed), `the name of the resource: ${name}`);
}

function jsonOf(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw invalidInput('body', `${body.length} bytes`, 'JSON in UTF-8');
  }
}

function valueAt(value: unknown, steps: readonly PropertyKey[]): unknown {
  let found = value;
  for (const step of steps) found = (found as Record<PropertyKey, unknown> | null)?.[step];
  return found;
}

function describeValue(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'an object';
  return (JSON.stringify(value) ?? 'nothing').slice(0, RECEIVED_CHARS_MAX);
}

function invalidInput(path: string, received: string, allowed: string): AppError {
  const message = `${path === '' ? 'body' : path}: received ${received}, allowed: ${allowed}`;
  return new AppError('INPUT_INVALID', { message, data: { path, received, allowed } });
}

function isCidrBlock(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return !address.includes('%') && Number(bits) <= most && String(Number(bits)) === bits;
}
