import type {
  McpEventLog,
  McpEventRow,
  McpOpenCall,
  McpOpenCalls,
  McpSessionRow,
  McpSessionStore,
} from '../../../domain/session/mcp-state.ts';

/** Most events per session. */
export const SESSION_EVENTS_MAX = 1_024;
/** Most characters of events per session. */
export const SESSION_EVENT_CHARS_MAX = 2_097_152;

/** Sessions in memory, for tests and for servers that need no persistence. */
export class MemorySessionStore implements McpSessionStore {
  private readonly rows = new Map<string, McpSessionRow>();

  put(row: McpSessionRow): void {
    this.rows.set(row.sessionId, row);
  }

  get(sessionId: string): McpSessionRow | undefined {
    return this.rows.get(sessionId);
  }

  delete(sessionId: string): void {
    this.rows.delete(sessionId);
  }

  count(): number {
    return this.rows.size;
  }

  expire(at: number): readonly string[] {
    const expired = [...this.rows.values()].filter((row) => row.lastSeenAt < at);
    for (const row of expired) this.rows.delete(row.sessionId);
    return expired.map((row) => row.sessionId);
  }
}

interface SessionEvents {
  readonly rows: (McpEventRow & { readonly streamId: string })[];
  chars: number;
  next: number;
}

/** Events in memory. Drops the oldest ones first. */
export class MemoryEventLog implements McpEventLog {
  private readonly sessions = new Map<string, SessionEvents>();

  append(sessionId: string, streamId: string, json: string): string {
    const events = this.sessions.get(sessionId) ?? { rows: [], chars: 0, next: 0 };
    this.sessions.set(sessionId, events);
    const eventId = `${streamId}:${events.next}`;
    events.next += 1;
    events.rows.push({ eventId, streamId, json });
    events.chars += json.length;
    while (events.rows.length > SESSION_EVENTS_MAX || events.chars > SESSION_EVENT_CHARS_MAX) {
      events.chars -= events.rows.shift()?.json.length ?? 0;
    }
    return eventId;
  }

  after(sessionId: string, eventId: string): readonly McpEventRow[] | undefined {
    const rows = this.sessions.get(sessionId)?.rows ?? [];
    const at = rows.findIndex((row) => row.eventId === eventId);
    const from = rows[at];
    if (from === undefined) return undefined;
    return rows.slice(at + 1).filter((row) => row.streamId === from.streamId);
  }

  last(sessionId: string, streamId: string): McpEventRow | undefined {
    return this.sessions.get(sessionId)?.rows.findLast((row) => row.streamId === streamId);
  }

  dropSession(sessionId: string): void {
    this.sessions.delete(sessionId);
  }
}

/** Open calls in memory. */
export class MemoryOpenCalls implements McpOpenCalls {
  private readonly rows = new Map<string, McpOpenCall>();

  put(call: McpOpenCall): void {
    this.rows.set(callKey(call), call);
  }

  of(sessionId: string, streamId: string): readonly McpOpenCall[] {
    const isOfStream = (call: McpOpenCall): boolean =>
      call.sessionId === sessionId && call.streamId === streamId;
    return [...this.rows.values()].filter(isOfStream);
  }

  remove(call: McpOpenCall): void {
    this.rows.delete(callKey(call));
  }

  dropSession(sessionId: string): void {
    for (const [name, call] of this.rows) if (call.sessionId === sessionId) this.rows.delete(name);
  }
}

function callKey({ sessionId, streamId, requestId }: McpOpenCall): string {
  return `${sessionId} ${streamId} ${JSON.stringify(requestId)}`;
}
