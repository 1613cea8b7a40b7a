/** A stored session of MCP over HTTP. */
export interface McpSessionRow {
  readonly sessionId: string;
  /** Path of its endpoint, such as `/v1/mcp`. */
  readonly endpoint: string;
  readonly protocolVersion: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  readonly principal: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly src?: string;
  /** Ids of the tasks that it started, oldest first. */
  readonly tasks?: readonly string[];
  /** The workspace selected in this session. */
  readonly workspaceId?: string;
  /** Names of the selected tools, joined by commas; all tools if absent. */
  readonly selection?: string;
}

/** Sessions that survive a restart. Writes need not be durable at once; reads are consistent. */
export interface McpSessionStore {
  put(row: McpSessionRow): void;
  get(sessionId: string): McpSessionRow | undefined;
  delete(sessionId: string): void;
  count(): number;
  /** Removes sessions idle since before `at` and returns their ids. */
  expire(at: number): readonly string[];
}

/** A message sent on a stream. */
export interface McpEventRow {
  /** `<streamId>:<n>`; bound to its session. */
  readonly eventId: string;
  readonly json: string;
}

/** Messages stored for replay by Last-Event-ID, limited per session by count and bytes. */
export interface McpEventLog {
  append(sessionId: string, streamId: string, json: string): string;
  /**
   * Returns the rows of the stream after `eventId`; `undefined` if the id belongs to another
   * session.
   */
  after(sessionId: string, eventId: string): readonly McpEventRow[] | undefined;
  /** Returns the latest stored row of a stream, if any. */
  last(sessionId: string, streamId: string): McpEventRow | undefined;
  dropSession(sessionId: string): void;
}

/** A call whose response stream has not ended. */
export interface McpOpenCall {
  readonly sessionId: string;
  readonly streamId: string;
  readonly requestId: string | number;
  /** The call as JSON, if it can be repeated without duplicate effects or charges. */
  readonly repeat?: string;
}

/**
 * Calls in progress, so that the next start can finish their streams. A kill may lose the last
 * milliseconds together with the messages of those streams.
 */
export interface McpOpenCalls {
  put(call: McpOpenCall): void;
  of(sessionId: string, streamId: string): readonly McpOpenCall[];
  remove(call: McpOpenCall): void;
  dropSession(sessionId: string): void;
}
