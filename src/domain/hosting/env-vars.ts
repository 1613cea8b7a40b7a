import { AppError } from '../common/error.ts';
import type { EnvVar } from './records.ts';

/** Limits on the variables of one service. */
export const ENV_BOUNDS = {
  vars: 256,
  keyChars: 256,
  valueChars: 32_768,
  /** Total length of keys and values. */
  totalChars: 262_144,
} as const;

/** Properties of a database that a variable can reference. */
export const DATABASE_PROPERTIES = [
  'connectionString',
  'host',
  'port',
  'user',
  'password',
  'database',
] as const;

/** References a property of a database in the same workspace. */
export interface DatabaseReference {
  readonly id: string;
  readonly property: (typeof DATABASE_PROPERTIES)[number];
}

/**
 * An ordered variable: either a value, or a reference to a database that is resolved when a program
 * starts. Exactly one of the two is present.
 */
export interface EnvVarOrder {
  readonly key: string;
  readonly value?: string;
  readonly fromDatabase?: DatabaseReference;
}

/** Returns the total length of variables, in characters. */
export function countEnvChars(vars: readonly EnvVarOrder[]): number {
  return vars.reduce((sum, { key, value = '' }) => sum + key.length + value.length, 0);
}

/**
 * Merges new variables into the existing ones. New values replace old ones of the same key.
 *
 * @throws {AppError} `INPUT_INVALID` if the result has too many variables or characters.
 */
export function mergeEnvVars(
  before: readonly EnvVarOrder[],
  added: readonly EnvVarOrder[],
): readonly EnvVarOrder[] {
  const merged = [...new Map([...before, ...added].map((each) => [each.key, each])).values()];
  const chars = countEnvChars(merged);
  if (merged.length <= ENV_BOUNDS.vars && chars <= ENV_BOUNDS.totalChars) return merged;
  const allowed = `at most ${ENV_BOUNDS.vars} variables of ${ENV_BOUNDS.totalChars} characters`;
  const message =
    `envVars: received ${merged.length} variables of ${chars} characters, including existing ` +
    `ones, allowed: ${allowed}`;
  throw new AppError('INPUT_INVALID', { message, data: { path: 'envVars', allowed } });
}

/** Reads a property from the address of a database. For a socket, the host is its folder. */
export function readDatabaseProperty(
  address: string,
  property: DatabaseReference['property'],
): string {
  if (property === 'connectionString') return address;
  const { hostname, port, username, password, pathname, searchParams } = new URL(address);
  const parts = {
    host: searchParams.get('host') ?? hostname,
    port: searchParams.get('port') ?? port,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
  };
  return parts[property];
}

/** The resolved variables of a program, or why one of them has no value. */
export type ResolvedEnv = { readonly env: readonly EnvVar[] } | { readonly missing: string };
