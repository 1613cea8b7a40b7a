/** A session of MCP over HTTP, as it is kept. */
export interface McpSessionRow {
  readonly sessionId: string;
  /** Endpoint path that it belongs to, such as `/v1/mcp`. */
  readonly endpoint: string;
  readonly protocolVersion: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  readonly principal: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly src?: string;
  /** Ids of the tasks that it has begun, the oldest first. */
  readonly tasks?: readonly string[];
  /** The workspace that was selected in it. */
  readonly workspaceId?: string;
  /** Names of the tools that it has selected, joined by commas; all of them when absent. */
  readonly selection?: string;
}

/** Sessions that outlive a restart. Writes need not be durable at once; reads are exact. */
export interface McpSessionStore {
  put(row: McpSessionRow): void;
  get(sessionId: string): McpSessionRow | undefined;
  delete(sessionId: string): void;
  count(): number;
  /** Removes sessions idle since before `at`; returns their ids. */
  expire(at: number): readonly string[];
}

/** One message that went out on a stream. */
export interface McpEventRow {
  /** `<streamId>:<n>`; bound to its session. */
  readonly eventId: string;
  readonly json: string;
}

/** Messages kept for replay by Last-Event-ID, bounded per session by count and bytes. */
export interface McpEventLog {
  append(sessionId: string, streamId: string, json: string): string;
  /** Rows of the stream after `eventId`; `undefined` when the id is not of this session. */
  after(sessionId: string, eventId: string): readonly McpEventRow[] | undefined;
  /** The newest row of a stream, if any is kept. */
  last(sessionId: string, streamId: string): McpEventRow | undefined;
  dropSession(sessionId: string): void;
}

/** A call whose answer is a stream that has not ended. */
export interface McpOpenCall {
  readonly sessionId: string;
  readonly streamId: string;
  readonly requestId: string | number;
  /** The call as JSON, where it can be made again without doing or charging anything twice. */
  readonly repeat?: string;
}

/**
 * Calls that are under way, so that the next start can finish their streams. A kill may lose the
 * last milliseconds, and then loses the messages of the stream with them.
 */
export interface McpOpenCalls {
  put(call: McpOpenCall): void;
  /** The calls of one stream. */
  of(sessionId: string, streamId: string): readonly McpOpenCall[];
  remove(call: McpOpenCall): void;
  dropSession(sessionId: string): void;
}
