import type { FeatureAvailability } from './hosting.ts';
import type { KeyValue, Postgres, SqlResult } from './records.ts';

/** A database with its password. No record, log or tool result contains the password. */
export interface HostedDatabase<Record extends Postgres | KeyValue = Postgres | KeyValue> {
  /** The order, without its current status. */
  readonly record: Omit<Record, 'status' | 'reason'>;
  /** Password of the user in the connection address. */
  readonly password: string;
}

/** Outcome of an operation on a database server. */
export type DatabaseOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Whether a retry is pointless because a program is not installed. */
      readonly isFinal: boolean;
    };

/**
 * A machine that runs database servers of one kind. Server processes outlive the calling program.
 * Repeating a request resumes the operation and never duplicates it. Aborting the signal stops the
 * wait; a running server continues.
 */
export interface DatabaseHost<Record extends Postgres | KeyValue = Postgres | KeyValue> {
  /**
   * Returns whether the programs are installed, by version. The only key is `''` if there is no
   * choice.
   */
  listFeatures(): Promise<Readonly<{ [version: string]: FeatureAvailability }>>;
  /**
   * Checks that this host can run a database.
   *
   * @throws {AppError} `HOST_CAPACITY` names what fits; `NOT_CONFIGURED` names what is missing.
   */
  admit(record: Omit<Record, 'status' | 'reason'>): Promise<void>;
  /** Creates the data directory, the users and the initial settings. */
  make(database: HostedDatabase<Record>, signal: AbortSignal): Promise<DatabaseOutcome>;
  /**
   * Starts the server with the settings of the record, or applies them to the running server. Waits
   * until the server accepts connections.
   */
  start(database: HostedDatabase<Record>, signal: AbortSignal): Promise<DatabaseOutcome>;
  /** Waits until the server is gone and returns the reason. */
  watch(database: HostedDatabase<Record>, signal: AbortSignal): Promise<DatabaseOutcome>;
  /**
   * Applies the allowlist of the record to the running server and closes connections that it no
   * longer allows. Other connections and all data remain. Fails if the server must be restarted.
   */
  reload(database: HostedDatabase<Record>, signal: AbortSignal): Promise<DatabaseOutcome>;
  /** Shuts down the server cleanly. Returns at once if none is running. */
  stop(database: HostedDatabase<Record>): Promise<void>;
  /** Stops the server and deletes all of its data. */
  erase(database: HostedDatabase<Record>): Promise<void>;
  /**
   * Returns the addresses with user and password: one for local programs, one behind the allowlist.
   */
  connectionAddresses(database: HostedDatabase<Record>): {
    readonly internal: string;
    readonly external: string;
  };
}

/** A machine that runs Postgres servers and accepts read-only statements. */
export interface PostgresHost extends DatabaseHost<Postgres> {
  /**
   * Runs one read-only statement over the external address with a read-only role.
   *
   * @throws {AppError} `SQL_REFUSED`, `SQL_TIMEOUT`, `SQL_BLOCKED`, `HOST_UNAVAILABLE`
   */
  query(database: HostedDatabase<Postgres>, sql: string, signal: AbortSignal): Promise<SqlResult>;
}

/** The available database hosts. A missing kind is not offered. */
export interface DatabaseHosts {
  readonly postgres?: PostgresHost | undefined;
  readonly keyValue?: DatabaseHost<KeyValue> | undefined;
}
