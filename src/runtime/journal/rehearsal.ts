import { EngineError } from '../engine/error.ts';
import type { ActorStatus, Ev, JournalEntry, JournalKind } from '../engine/types.ts';

/** Result of replaying a journal. See `rehearse`. */
export type Rehearsal = { readonly same: true; readonly rows: number } | Difference;

/** The first row for which a definition does not reproduce what was recorded. */
export interface Difference {
  readonly same: false;
  readonly seq: number;
  /** When the row was written, in milliseconds. */
  readonly at: number;
  readonly event: Ev;
  /**
   * What differs:
   * - `status`, `value`, `context`, `emits`: the state or the emitted events after the row;
   * - `poison`: only one of the two could process the event;
   * - `timers`, `effects`: the row's timer or effect is current in only one of the two;
   * - `migration`: the definition has no path from the recorded version to the next.
   */
  readonly what:
    | 'status'
    | 'value'
    | 'context'
    | 'emits'
    | 'poison'
    | 'timers'
    | 'effects'
    | 'migration';
  readonly recorded: {
    readonly entry: JournalKind;
    readonly value: unknown;
    readonly status: ActorStatus;
    readonly version: number;
    readonly hash: string;
  };
  /** State after the row, or before it if the event could not be processed. */
  readonly replayed: {
    readonly version: number;
    readonly value?: unknown;
    readonly status?: ActorStatus;
    readonly hash?: string;
    readonly context?: Readonly<Record<string, unknown>>;
  };
  /** Why the event could not be processed. */
  readonly reason?: string;
}

/**
 * Parses a journal written as JSON lines, one row per line. Empty lines are skipped.
 *
 * @throws {EngineError} `JOURNAL_INVALID` naming the line.
 * @example
 * const journal = journalLines(createInterface({ input: createReadStream('debate.jsonl') }));
 */
export async function* journalLines(
  lines: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<JournalEntry> {
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() !== '') yield parseEntry(text, line);
  }
}

function parseEntry(text: string, line: number): JournalEntry {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch (cause) {
    throw invalidLine(line, 'is not JSON', cause);
  }
  const { id, seq, event, entry } = (row ?? {}) as Partial<JournalEntry>;
  const isEntry =
    typeof id === 'string' &&
    typeof seq === 'number' &&
    typeof event?.type === 'string' &&
    typeof entry === 'string';
  if (!isEntry) throw invalidLine(line, 'is not a journal row');
  return row as JournalEntry;
}

function invalidLine(line: number, why: string, cause?: unknown): EngineError {
  return new EngineError('JOURNAL_INVALID', `line ${line} ${why}`, { data: { line }, cause });
}
