import type {
  McpEventLog,
  McpOpenCalls,
  McpSessionRow,
  McpSessionStore,
} from '../../domain/session/mcp-state.ts';
import type { Compacted, FamilySize } from '../../runtime/engine/ports.ts';
import { Environment } from '../common/environment.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import type { TextTable } from '../common/text-table.ts';
import { LmdbEventLog } from './mcp-events.ts';
import { LmdbOpenCalls } from './mcp-open-calls.ts';

/** 2: a row of the event log holds several messages. */
const FORMAT = 2;

/** MCP sessions and their messages, persistent across restarts. */
export interface McpState {
  readonly sessions: McpSessionStore;
  readonly events: McpEventLog;
  readonly openCalls: McpOpenCalls;
  /** Returns free space to the file system if more than half of the file is free. */
  compact(): Promise<Compacted | undefined>;
  /** Returns rows and bytes of each key family. */
  sizes(): readonly FamilySize[];
  /** Waits for pending writes and closes. */
  close(): Promise<void>;
}

/**
 * Opens the state of MCP over HTTP on disk. Written data can be read immediately and is on disk a
 * few milliseconds later.
 *
 * @throws {EngineError} `STORE_NEWER` if a newer program has written to this store.
 */
export function openMcpState(options: EnvironmentOptions): McpState {
  const environment = new Environment(options, FORMAT);
  const events = new LmdbEventLog(environment);
  return {
    sessions: new LmdbSessionStore(environment),
    events,
    openCalls: new LmdbOpenCalls(environment, events.writes),
    compact: () => environment.compact(),
    sizes: () => environment.sizes(),
    close: () => {
      events.close();
      return environment.close();
    },
  };
}

/** Sessions are also cached in memory: their number is limited, and every call reads one. */
class LmdbSessionStore implements McpSessionStore {
  readonly #environment: Environment;
  readonly #db: TextTable;
  readonly #rows = new Map<string, McpSessionRow>();

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#db = environment.openTable('sessions');
    for (const { value } of this.#db.getRange()) {
      const row = JSON.parse(value) as McpSessionRow;
      this.#rows.set(row.sessionId, row);
    }
  }

  put(row: McpSessionRow): void {
    this.#rows.set(row.sessionId, row);
    this.#environment.write([{ db: this.#db, key: row.sessionId, text: JSON.stringify(row) }]);
  }

  get(sessionId: string): McpSessionRow | undefined {
    return this.#rows.get(sessionId);
  }

  delete(sessionId: string): void {
    if (!this.#rows.delete(sessionId)) return;
    this.#environment.write([{ db: this.#db, key: sessionId }]);
  }

  count(): number {
    return this.#rows.size;
  }

  expire(at: number): readonly string[] {
    const old = [...this.#rows.values()].filter((row) => row.lastSeenAt < at);
    for (const { sessionId } of old) this.delete(sessionId);
    return old.map(({ sessionId }) => sessionId);
  }
}
