import type { McpEventLog, McpEventRow } from '../../../domain/session/mcp-state.ts';

/** The events of a stream that a client has missed. */
export interface MissedEvents {
  readonly rows: readonly McpEventRow[];
  /** The client knows an event that the log has lost. */
  readonly isAhead: boolean;
}

/**
 * Returns the events of a stream after a given one. A kill may lose the last milliseconds of the
 * log, so the client of an interrupted stream may know an event that the log lacks.
 *
 * @param isCutOff - Whether a restart interrupted the stream.
 * @returns `undefined` when the event belongs to another session or was removed.
 */
export function findMissedEvents(
  events: McpEventLog,
  sessionId: string,
  lastEventId: string,
  isCutOff: boolean,
): MissedEvents | undefined {
  const rows = events.after(sessionId, lastEventId);
  if (rows !== undefined) return { rows, isAhead: false };
  if (!isCutOff) return undefined;
  const streamId = lastEventId.slice(0, lastEventId.lastIndexOf(':'));
  const last = events.last(sessionId, streamId)?.eventId;
  const known = eventNumber(lastEventId);
  const isAhead = known > (last === undefined ? -1 : eventNumber(last));
  return isAhead ? { rows: [], isAhead } : undefined;
}

function eventNumber(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf(':') + 1));
}
