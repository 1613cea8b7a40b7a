import type { Ev } from '../../runtime/engine/types.ts';

/** One call of a client: an event that it sent, or a read. */
export interface Operation {
  /** Unique in its history. */
  readonly id: string;
  readonly client: string;
  readonly actor: string;
  /** Absent for a read. */
  readonly event?: Ev;
  /** Position in the history at which the client called. */
  readonly invokedAt: number;
  /** Position of the answer. Absent if none came: the event may have been applied or not. */
  readonly returnedAt?: number;
  /** The answer to the event, or what the read observed. */
  readonly answer?: unknown;
}

/** Calls of several clients, in the order in which they were made. */
export type History = readonly Operation[];

/** Maximum length of an answer in a lane, in characters. */
const ANSWER_CHARS_MAX = 60;

/**
 * Formats a history with one lane per client and time from top to bottom. `│` marks a call that
 * has no answer yet, `?` one whose answer never came.
 */
export function formatHistory(history: History): readonly string[] {
  const clients = [...new Set(history.map(({ client }) => client))];
  const marks = history.flatMap((operation) => [
    { at: operation.invokedAt, operation, text: formatCall(operation) },
    { at: operation.returnedAt ?? Number.POSITIVE_INFINITY, operation, text: formatEnd(operation) },
  ]);
  const rows: string[][] = [clients];
  const open = new Map<string, Operation[]>();
  for (const { at, operation, text } of marks.toSorted((one, other) => one.at - other.at)) {
    const { client } = operation;
    const mine = open.get(client) ?? [];
    const isStart = at === operation.invokedAt;
    open.set(client, isStart ? [...mine, operation] : mine.filter((each) => each !== operation));
    rows.push(
      clients.map((name) => {
        if (name === client) return text;
        return (open.get(name) ?? []).some((each) => each.returnedAt !== undefined) ? '│' : '';
      }),
    );
  }
  return alignColumns(rows);
}

/** Formats a call in a few words. */
export function formatCall({ event }: Operation): string {
  if (event === undefined) return 'read';
  const { type, ...payload } = event;
  return Object.keys(payload).length === 0 ? type : `${type} ${formatValue(payload)}`;
}

function formatEnd(operation: Operation): string {
  if (operation.returnedAt === undefined) return `? ${formatCall(operation)}`;
  return operation.answer === undefined ? '→ ok' : `→ ${formatValue(operation.answer)}`;
}

function formatValue(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > ANSWER_CHARS_MAX ? `${json.slice(0, ANSWER_CHARS_MAX)}…` : json;
}

function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`.trimEnd(),
  );
}
