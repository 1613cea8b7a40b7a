import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { DatabaseOutcome } from '../../domain/hosting/database-host.ts';
import type { KeyValue, Postgres } from '../../domain/hosting/records.ts';

/** First and longest wait before a server is restarted, in milliseconds. */
export const DATABASE_WAIT_MS = { first: 2 * SECOND_MS, longest: 5 * MINUTE_MS } as const;
/** Maximum number of consecutive failed attempts before manual action is required. */
export const ATTEMPTS_MAX = 8;

/** The record of a server without its status. */
export type DatabaseRecord =
  | Omit<Postgres, 'status' | 'reason'>
  | Omit<KeyValue, 'status' | 'reason'>;

/** Input of a database actor. */
export interface DatabaseInput {
  readonly record: DatabaseRecord;
  /** Encrypted passwords. */
  readonly sealedSecrets: string;
}

/** Context of a database actor. */
export interface DatabaseContext extends DatabaseInput {
  /** True if the data directory exists. */
  readonly isMade: boolean;
  /** Number of consecutive failed attempts. */
  readonly tries: number;
  readonly reason: string | null;
}

/** Names of the database effects on the host. */
type DatabaseEffect = 'make' | 'start' | 'watch' | 'reload' | 'stop' | 'erase';

/** Events that a database accepts. */
export type DatabaseEvent =
  | { readonly type: 'CONFIG.CHANGED'; readonly record: DatabaseRecord }
  | { readonly type: 'SUSPEND' }
  | { readonly type: 'RESUME' }
  | { readonly type: 'RETRY' }
  | { readonly type: 'REMOVE' }
  | {
      readonly type: `xstate.done.actor.${DatabaseEffect}`;
      readonly output: DatabaseOutcome;
    }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** Creates the initial context of a database. */
export function createDatabaseContext({
  input,
}: {
  readonly input: DatabaseInput;
}): DatabaseContext {
  return { ...input, isMade: false, tries: 0, reason: null };
}

/** Creates the input of the database effects. */
export function createDatabaseInput({
  context,
}: {
  readonly context: DatabaseContext;
}): DatabaseInput {
  const { record, sealedSecrets } = context;
  return { record, sealedSecrets };
}

/** Returns the output of a database effect in an event, if any. */
export function databaseOutputOf(event: DatabaseEvent): DatabaseOutcome | undefined {
  return 'output' in event ? event.output : undefined;
}

/** Returns the context changes after a failed attempt. */
export function applyFailedAttempt({ tries }: DatabaseContext, event: DatabaseEvent) {
  const end = databaseOutputOf(event);
  const reason = end?.ok === false ? end.reason : 'the machine lost it';
  return { reason, tries: tries + 1 };
}

/** Returns whether another attempt is pointless. */
export function isFinalFailure({ tries }: DatabaseContext, event: DatabaseEvent): boolean {
  const end = databaseOutputOf(event);
  return (end?.ok === false && end.isFinal) || tries + 1 >= ATTEMPTS_MAX;
}
