import { AppError } from '../common/error.ts';
import type { EnvVar } from './records.ts';

/** Bounds of the variables of one service. */
export const ENV_BOUNDS = {
  vars: 256,
  keyChars: 256,
  valueChars: 32_768,
  /** Keys and values together. */
  totalChars: 262_144,
} as const;

/** What a variable may take of a database. */
export const DATABASE_PROPERTIES = [
  'connectionString',
  'host',
  'port',
  'user',
  'password',
  'database',
] as const;

/** Names a database of the same workspace, and what of it is the value. */
export interface DatabaseReference {
  readonly id: string;
  readonly property: (typeof DATABASE_PROPERTIES)[number];
}

/**
 * A variable as it is ordered: a value, or a database that the value is looked up in when a program
 * starts. Exactly one of both is there.
 */
export interface GivenVar {
  readonly key: string;
  readonly value?: string;
  readonly fromDatabase?: DatabaseReference;
}

/** How many characters variables take. */
export function countChars(vars: readonly GivenVar[]): number {
  return vars.reduce((sum, { key, value = '' }) => sum + key.length + value.length, 0);
}

/**
 * The variables of a service with some of them set anew.
 *
 * @throws {AppError} `INPUT_INVALID` where together they are too many, or too long.
 */
export function mergeVars(
  before: readonly GivenVar[],
  given: readonly GivenVar[],
): readonly GivenVar[] {
  const merged = [...new Map([...before, ...given].map((one) => [one.key, one])).values()];
  const chars = countChars(merged);
  if (merged.length <= ENV_BOUNDS.vars && chars <= ENV_BOUNDS.totalChars) return merged;
  const allowed = `at most ${ENV_BOUNDS.vars} variables of ${ENV_BOUNDS.totalChars} characters`;
  const message =
    `envVars: received ${merged.length} variables of ${chars} characters with those that are ` +
    `there, allowed: ${allowed}`;
  throw new AppError('INPUT_INVALID', { message, data: { path: 'envVars', allowed } });
}

/** What a reference takes of the address of a database; a socket's folder is its host. */
export function readProperty(address: string, property: DatabaseReference['property']): string {
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

/** The variables that a program is given, or why one of them has no value. */
export type ResolvedEnv = { readonly env: readonly EnvVar[] } | { readonly missing: string };
