import type { McpEventLog, McpEventRow } from '../../../domain/session/mcp-state.ts';

/** What a client has missed of a stream. */
export interface Missed {
  readonly rows: readonly McpEventRow[];
  /** The client knows an event that the log has lost. */
  readonly isAhead: boolean;
}

/**
 * What a stream has sent after an event. A kill may have taken the last milliseconds from the log:
 * a client of a stream that it cut off can know an event that the log does not.
 *
 * @param isCutOff - Whether a restart has cut the stream off.
 * @returns `undefined` when the event is not of this session, or no longer kept.
 */
export function missedOf(
  events: McpEventLog,
  sessionId: string,
  lastEventId: string,
  isCutOff: boolean,
): Missed | undefined {
  const rows = events.after(sessionId, lastEventId);
  if (rows !== undefined) return { rows, isAhead: false };
  if (!isCutOff) return undefined;
  const streamId = lastEventId.slice(0, lastEventId.lastIndexOf(':'));
  const last = events.last(sessionId, streamId)?.eventId;
  const known = numberOf(lastEventId);
  const isAhead = known > (last === undefined ? -1 : numberOf(last));
  return isAhead ? { rows: [], isAhead } : undefined;
}

function numberOf(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf(':') + 1));
}
