import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { DatabaseEnd } from '../../domain/hosting/database-host.ts';
import type { KeyValue, Postgres } from '../../domain/hosting/records.ts';

/** First and longest wait before a server that does not run is tried again, in milliseconds. */
export const DATABASE_WAIT_MS = { first: 2 * SECOND_MS, longest: 5 * MINUTE_MS } as const;
/** Tries in a row after which it waits for somebody. */
export const TRIES_MAX = 8;

/** The record of a server, without what its state says. */
export type DatabaseRecord =
  | Omit<Postgres, 'status' | 'reason'>
  | Omit<KeyValue, 'status' | 'reason'>;

/** What a database actor is created with. */
export interface DatabaseInput {
  readonly record: DatabaseRecord;
  /** Its passwords, encrypted. */
  readonly sealedSecrets: string;
}

/** Memory of a database. */
export interface DatabaseContext extends DatabaseInput {
  /** Its data directory is there. */
  readonly isMade: boolean;
  /** Failed tries in a row. */
  readonly tries: number;
  readonly reason: string | null;
}

/** What the machine that hosts does for a database. */
type DatabaseEffect = 'make' | 'start' | 'watch' | 'reload' | 'stop' | 'erase';

/** Everything that a database takes. */
export type DatabaseEvent =
  | { readonly type: 'CONFIG.CHANGED'; readonly record: DatabaseRecord }
  | { readonly type: 'SUSPEND' }
  | { readonly type: 'RESUME' }
  | { readonly type: 'RETRY' }
  | { readonly type: 'REMOVE' }
  | {
      readonly type: `xstate.done.actor.${DatabaseEffect}`;
      readonly output: DatabaseEnd;
    }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

/** A database that is to be made. */
export function askedDatabase({ input }: { readonly input: DatabaseInput }): DatabaseContext {
  return { ...input, isMade: false, tries: 0, reason: null };
}

/** What the effects of a database are given. */
export function databaseWork({ context }: { readonly context: DatabaseContext }): DatabaseInput {
  const { record, sealedSecrets } = context;
  return { record, sealedSecrets };
}

/** How the work went that an event tells the end of. */
export function databaseEnd(event: DatabaseEvent): DatabaseEnd | undefined {
  return 'output' in event ? event.output : undefined;
}

/** What a failure makes of a database's memory. */
export function failedTry({ tries }: DatabaseContext, event: DatabaseEvent) {
  const end = databaseEnd(event);
  const reason = end?.ok === false ? end.reason : 'the machine lost it';
  return { reason, tries: tries + 1 };
}

/** Whether there is no use in another try. */
export function isHopeless({ tries }: DatabaseContext, event: DatabaseEvent): boolean {
  const end = databaseEnd(event);
  return (end?.ok === false && end.isFinal) || tries + 1 >= TRIES_MAX;
}
