import type { Json, JsonObject } from '../../domain/common/json.ts';
import type { DeadLetterLine, JournalRow } from '../../domain/inspect/wire.ts';
import { activeStateIds } from '../../machines/graph/machine-graph.ts';
import type { Cause, DeadLetter, JournalEntry } from '../../runtime/engine/types.ts';
import { hideValue, type Redactor } from './redaction/redaction.ts';

/** Returns the console view of a journal row. */
export function toJournalRow(entry: JournalEntry, redactor: Redactor): JournalRow {
  const { id, kind, seq, globalSeq, at, version, status } = entry;
  return {
    id,
    kind,
    seq,
    globalSeq,
    at,
    entry: entry.entry,
    event: redactor.event(entry.event),
    cause: redactCause(entry.cause),
    version,
    activeIds: activeStateIds(entry.value),
    status,
    emits: entry.emits.map(({ type }) => type),
  };
}

/** Returns the console view of a dead letter. */
export function toDeadLetterLine(letter: DeadLetter, redactor: Redactor): DeadLetterLine {
  const { deadLetterId, actorId, at, event, reason } = letter;
  return {
    deadLetterId,
    actorId,
    at,
    event: redactor.event(event),
    reason: redactor.reason?.(reason, event) ?? redactReason(reason, event.type),
  };
}

/** Maximum length of a displayed reason and of a word in it, in characters. */
const REASON_CHARS_MAX = 300;
const LONG_WORD = /\S{16,}/g;

/**
 * An error may quote its input. Long words are removed, because keys, signatures, and capabilities
 * are long.
 */
function redactReason(reason: string, type: string): string {
  const words = reason.startsWith(`${type}: `) ? reason.slice(type.length + 2) : reason;
  return words.slice(0, REASON_CHARS_MAX).replaceAll(LONG_WORD, '[left out]');
}

/** Returns the cause of a row without caller-supplied idempotency keys. */
export function redactCause(cause: Cause): JsonObject {
  const entries = Object.entries(cause) as [string, Json][];
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === 'idempotencyKey' ? hideValue(value) : value]),
  );
}
