import type { Ability, SqlAnswer } from './hosting.ts';
import type { KeyValue, Postgres } from './records.ts';

/** A database with its password; the password is in no record, log or answer of a tool. */
export interface HostedDatabase<Record extends Postgres | KeyValue = Postgres | KeyValue> {
  /** What was ordered, without what its state says. */
  readonly record: Omit<Record, 'status' | 'reason'>;
  /** Of the user in its connection address. */
  readonly password: string;
}

/** How a piece of work on a server ended. */
export type DatabaseEnd =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Another try would not help: something is not installed. */
      readonly isFinal: boolean;
    };

/**
 * A machine that runs database servers of one kind. Their processes outlive the program that asks:
 * work that is asked for again is taken up where it stands, never done twice. When a signal aborts,
 * waiting ends; a server that runs goes on.
 */
export interface DatabaseHost<Record extends Postgres | KeyValue = Postgres | KeyValue> {
  /** Whether this machine has its programs, by version; one key, `''`, where there is no choice. */
  abilities(): Promise<Readonly<{ [version: string]: Ability }>>;
  /**
   * Refuses what cannot be hosted here.
   *
   * @throws {AppError} `HOST_CAPACITY` naming what fits, `NOT_CONFIGURED` naming what is missing.
   */
  admit(record: Omit<Record, 'status' | 'reason'>): Promise<void>;
  /** Makes the data directory, the users and the first settings. */
  make(database: HostedDatabase<Record>, signal: AbortSignal): Promise<DatabaseEnd>;
  /**
   * Starts the server with the settings of the record, or has the one that runs take them; waits
   * until it takes connections.
   */
  start(database: HostedDatabase<Record>, signal: AbortSignal): Promise<DatabaseEnd>;
  /** Waits until the server is not there any more, and says why. */
  watch(database: HostedDatabase<Record>, signal: AbortSignal): Promise<DatabaseEnd>;
  /**
   * Has the server that runs keep to the record's allowlist, and ends the connections that it lets
   * in no more; other connections and data stay. Fails where the server has to be started anew.
   */
  reload(database: HostedDatabase<Record>, signal: AbortSignal): Promise<DatabaseEnd>;
  /** Ends the server in order; at once where there is none. */
  stop(database: HostedDatabase<Record>): Promise<void>;
  /** Ends the server and removes all that it kept. */
  erase(database: HostedDatabase<Record>): Promise<void>;
  /** Addresses with user and password: for programs here, and the one that the allowlist guards. */
  connection(database: HostedDatabase<Record>): {
    readonly internal: string;
    readonly external: string;
  };
}

/** A machine that runs Postgres servers, and lets statements read from them. */
export interface PostgresHost extends DatabaseHost<Postgres> {
  /**
   * Runs one statement that reads, over the external address, with a role that may do no more.
   *
   * @throws {AppError} `SQL_REFUSED`, `SQL_TIMEOUT`, `SQL_BLOCKED`, `HOST_UNAVAILABLE`
   */
  query(database: HostedDatabase<Postgres>, sql: string, signal: AbortSignal): Promise<SqlAnswer>;
}

/** The hosts of databases that there are; one that is left out is not offered. */
export interface DatabaseHosts {
  readonly postgres?: PostgresHost | undefined;
  readonly keyValue?: DatabaseHost<KeyValue> | undefined;
}
