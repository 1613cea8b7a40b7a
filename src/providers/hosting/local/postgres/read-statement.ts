import type { Client, Connection, Submittable } from 'pg';
import { AppError } from '../../../../domain/common/error.ts';

/** Rows per batch requested from the server. */
const BATCH_ROWS = 100;

/** The name separates it from queries made between parsing and running it. */
const STATEMENT = 'stoa_read';

/** A column of a result, as described by the server. */
export interface SqlColumn {
  readonly name: string;
  /** Object id of its type. */
  readonly oid: number;
}

/** Rows as text, in column order. */
export interface FetchedRows {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly truncated?: 'rows' | 'bytes';
}

/** Limits of a fetch. */
export interface FetchBounds {
  readonly rows: number;
  /** Of all rows kept, as JSON. */
  readonly chars: number;
  /** Of everything that the server sends. */
  readonly readBytes: number;
}

/**
 * Parses one statement without running it. The protocol rejects more than one statement. A
 * statement without a result set (a change of settings, the end of a transaction) is rejected here.
 *
 * @returns The columns of its result.
 * @throws The server's error; {AppError} `SQL_REFUSED` for a statement without rows.
 */
export function parseStatement(client: Client, text: string): Promise<readonly SqlColumn[]> {
  return new Promise((resolve, reject) => {
    let columns: readonly SqlColumn[] | undefined;
    const query: QueryHandlers = {
      submit: (connection) => {
        connection.parse({ name: STATEMENT, text, types: [] }, true);
        connection.describe({ type: 'S', name: STATEMENT }, true);
        connection.sync();
      },
      handleRowDescription: ({ fields }) => {
        columns = fields.map(({ name, dataTypeID }) => ({ name, oid: dataTypeID }));
      },
      handleError: reject,
      handleReadyForQuery: () => {
        if (columns === undefined) reject(noResultError());
        else resolve(columns);
      },
    };
    client.query(query);
  });
}

/** Runs the statement parsed last and fetches its rows up to the bounds. */
export function fetchRows(client: Client, bounds: FetchBounds): Promise<FetchedRows> {
  return new Promise((resolve, reject) => {
    const rows: (string | null)[][] = [];
    let left = bounds.chars;
    let bytes = bounds.readBytes;
    let truncated: FetchedRows['truncated'];
    let failure: unknown;
    const { stream } = client.connection;
    const done = (): void => {
      stream.off('data', count);
      if (failure !== undefined && truncated === undefined) reject(failure);
      else resolve({ rows, ...(truncated === undefined ? {} : { truncated }) });
    };
    // A row that is too large is never assembled: the connection is closed before it is complete.
    const count = (chunk: Buffer): void => {
      bytes -= chunk.length;
      if (bytes > 0) return;
      truncated ??= 'bytes';
      stream.destroy();
      done();
    };
    const query: QueryHandlers = {
      submit: (connection) => {
        stream.on('data', count);
        connection.bind({ portal: '', statement: STATEMENT, values: [] }, true);
        requestBatch(connection);
        connection.flush();
      },
      handleDataRow: ({ fields }) => {
        if (truncated !== undefined) return;
        // Measured as JSON: even an empty value costs some characters, an escaped one up to six.
        left -= JSON.stringify(fields).length;
        if (left < 0) truncated = 'bytes';
        else if (rows.length >= bounds.rows) truncated = 'rows';
        else rows.push(fields);
      },
      handlePortalSuspended: (connection) => {
        if (truncated !== undefined) return connection.sync();
        requestBatch(connection);
        connection.flush();
      },
      handleCommandComplete: (_message, connection) => connection.sync(),
      handleEmptyQuery: (connection) => connection.sync(),
      // After an error the client reports nothing more about a query.
      handleError: (error) => {
        failure = error;
        done();
      },
      handleReadyForQuery: done,
    };
    client.query(query);
  });
}

/** Callbacks of the client for a custom query. */
interface QueryHandlers extends Submittable {
  handleRowDescription?(message: {
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
  }): void;
  handleDataRow?(message: { readonly fields: (string | null)[] }): void;
  handlePortalSuspended?(connection: Connection): void;
  handleCommandComplete?(message: unknown, connection: Connection): void;
  handleEmptyQuery?(connection: Connection): void;
  handleError(error: unknown): void;
  handleReadyForQuery(connection: Connection): void;
}

/** Requests the next rows of the statement. */
function requestBatch(connection: Connection): void {
  // The driver writes a number, but its types want a string.
  const rows: unknown = BATCH_ROWS;
  connection.execute({ portal: '', rows: rows as string }, true);
}

function noResultError(): AppError {
  return new AppError('SQL_REFUSED', {
    message: 'The statement returns no rows. Only single statements that read are allowed.',
  });
}
