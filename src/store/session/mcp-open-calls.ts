import type { McpOpenCall, McpOpenCalls } from '../../domain/session/mcp-state.ts';
import type { Environment } from '../common/environment.ts';
import { scan } from '../common/environment.ts';
import type { TextTable } from '../common/text-table.ts';
import type { PendingRow, WriteBatcher } from '../common/write-batcher.ts';

/**
 * Calls whose response is a stream that has not ended, on disk. Rows are `[sessionId, streamId,
 * id]`. They share the writes of the event log, so that a response and the end of its call reach
 * the disk together.
 */
export class LmdbOpenCalls implements McpOpenCalls {
  readonly #db: TextTable;
  readonly #writes: WriteBatcher<PendingRow>;
  /** Rows of this process, whose texts are in memory until they are on disk. */
  readonly #rows = new Map<string, OpenRow>();
  /** Rows that may still be on disk, with the write that removes them. */
  readonly #removed = new Map<string, number>();

  constructor(environment: Environment, writes: WriteBatcher<PendingRow>) {
    this.#db = environment.openTable('open-calls');
    this.#writes = writes;
  }

  put(call: McpOpenCall): void {
    const key = toKey(call);
    const row: OpenRow = { key, json: call.repeat ?? '' };
    this.#rows.set(key.join('\n'), row);
    this.#writes.put(row, { db: this.#db, key: [...key], text: row.json ?? '' });
  }

  of(sessionId: string, streamId: string): readonly McpOpenCall[] {
    const found = new Map<string, McpOpenCall>();
    const add = (key: RowKey, repeat: string): void => {
      const name = key.join('\n');
      if (this.#isRemoved(name)) return;
      const requestId = JSON.parse(key[2]);
      const base = { sessionId, streamId, requestId };
      found.set(name, repeat === '' ? base : { ...base, repeat });
    };
    scan(this.#db, [sessionId, streamId], (key, text) => {
      add(key as RowKey, text);
      return true;
    });
    for (const { key, json } of this.#rows.values()) {
      if (json !== undefined && key[0] === sessionId && key[1] === streamId) add(key, json);
    }
    return [...found.values()];
  }

  remove(call: McpOpenCall): void {
    this.#remove(toKey(call));
  }

  dropSession(sessionId: string): void {
    const keys: RowKey[] = [];
    scan(this.#db, [sessionId], (key) => {
      keys.push(key as RowKey);
      return true;
    });
    for (const { key } of this.#rows.values()) if (key[0] === sessionId) keys.push(key);
    for (const key of keys) this.#remove(key);
  }

  #remove(key: RowKey): void {
    const name = key.join('\n');
    const row = this.#rows.get(name) ?? { key, json: undefined };
    this.#rows.delete(name);
    this.#pruneRemoved();
    this.#removed.set(name, this.#writes.remove(row, { db: this.#db, key: [...key] }));
  }

  #isRemoved(name: string): boolean {
    return (this.#removed.get(name) ?? 0) > this.#writes.written;
  }

  #pruneRemoved(): void {
    for (const [name, write] of this.#removed) {
      if (write > this.#writes.written) return;
      this.#removed.delete(name);
    }
  }
}

type RowKey = readonly [sessionId: string, streamId: string, requestId: string];

interface OpenRow extends PendingRow {
  readonly key: RowKey;
}

// The number 1 and the text "1" are different ids.
function toKey({ sessionId, streamId, requestId }: McpOpenCall): RowKey {
  return [sessionId, streamId, JSON.stringify(requestId)];
}
