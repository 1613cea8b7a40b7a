import type { ActorState } from '../engine/actor-state.ts';
import type { CameEffect, CameTimer, RowChange } from '../engine/ports.ts';
import { persistHistory } from '../engine/snapshot.ts';
import type { EffectRow, Ev, JournalEntry, PersistedSnapshot, TimerRow } from '../engine/types.ts';
import { deepFreeze } from '../value/plain.ts';
import { applyDelta, deltaBetween, deltaFrom, SAME } from './delta.ts';

/** An actor as stored in its rows, without its machine. */
export interface ActorAtRest {
  readonly snapshot: PersistedSnapshot;
  readonly seq: number;
  readonly at: number;
  readonly stuck: boolean;
  readonly timers: ReadonlyMap<string, TimerRow>;
  readonly effects: ReadonlyMap<string, EffectRow>;
  readonly trace: string | undefined;
}

/** Returns what an event changed between two states of one actor. */
export function diffChange(before: ActorState, after: ActorState, event: Ev): RowChange {
  const context = deltaBetween(before.snapshot.context, after.snapshot.context, event);
  const history = encodeHistory(before, after);
  const timers =
    before.timers === after.timers
      ? undefined
      : encodeRowChanges(before.timers, after.timers, (row) => encodeTimer(row, after.at));
  const { effects } = after;
  const encode = (row: EffectRow) => encodeEffect(row, after.snapshot.context);
  const { output } = after.snapshot;
  return {
    ...(context === SAME ? undefined : { context }),
    ...(history === undefined ? undefined : { history }),
    ...(output === undefined ? undefined : { output: output as unknown }),
    ...(timers === undefined ? undefined : { timers }),
    ...(before.effects === effects
      ? undefined
      : { effects: encodeRowChanges(before.effects, effects, encode) }),
  };
}

/** Returns the rows after an event by applying its change to the rows before it. */
export function applyChange(
  before: ActorAtRest,
  entry: JournalEntry,
  change: RowChange,
): ActorAtRest {
  const { context: previousContext, historyValue: previousHistory } = before.snapshot;
  const context =
    change.context === undefined
      ? previousContext
      : applyDelta(previousContext, change.context, entry.event);
  const history = change.history === undefined ? previousHistory : change.history;
  const snapshot: PersistedSnapshot = {
    status: entry.status === 'stuck' ? 'active' : entry.status,
    value: entry.value,
    context: context as PersistedSnapshot['context'],
    ...(history === undefined ? undefined : { historyValue: history }),
    ...(change.output === undefined ? undefined : { output: change.output }),
  };
  const trace = entry.trace ?? before.trace;
  return {
    snapshot: deepFreeze(snapshot),
    timers: applyRowChanges(before.timers, change.timers, (came) => decodeTimer(entry, came)),
    effects: applyRowChanges(before.effects, change.effects, (came) =>
      decodeEffect(entry, came, snapshot.context),
    ),
    seq: entry.seq,
    at: entry.at,
    stuck: false,
    trace,
  };
}

function encodeHistory({ snapshot: before }: ActorState, { snapshot: after }: ActorState): unknown {
  if (before.historyValue === after.historyValue) return undefined;
  const [past, present] = [persistHistory(before.historyValue), persistHistory(after.historyValue)];
  return JSON.stringify(past) === JSON.stringify(present) ? undefined : (present ?? {});
}

function encodeRowChanges<Row, Came>(
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
  write: (row: Row) => Came,
): readonly [readonly (string | number)[], readonly Came[]] {
  const removed: (string | number)[] = [];
  const added: Came[] = [];
  const ids = sortedIds(before);
  before.forEach((_row, id) => {
    if (!after.has(id)) removed.push(ids.length === 0 ? id : ids.indexOf(id));
  });
  after.forEach((row, id) => {
    if (before.get(id) !== row) added.push(write(row));
  });
  return [removed, added];
}

/** Removed rows are identified by their index in the sorted ids, unless there are too many. */
function sortedIds(rows: ReadonlyMap<string, unknown>): readonly string[] {
  return rows.size > INDEXED_ROWS_MAX ? [] : [...rows.keys()].sort();
}

const INDEXED_ROWS_MAX = 16;
/** Stands for the attempt of a child machine, which has none: its parent waits for the result. */
const CHILD_ATTEMPT = -1;

function applyRowChanges<Row, Came extends readonly [string, ...unknown[]]>(
  before: ReadonlyMap<string, Row>,
  change: readonly [readonly (string | number)[], readonly Came[]] | undefined,
  read: (encoded: Came) => Row,
): ReadonlyMap<string, Row> {
  if (change === undefined) return before;
  const after = new Map(before);
  const [gone, come] = change;
  const places = sortedIds(before);
  for (const id of gone) after.delete(typeof id === 'number' ? String(places[id]) : id);
  for (const came of come) {
    after.delete(came[0]);
    after.set(came[0], deepFreeze(read(came)));
  }
  return after;
}

function encodeTimer({ timerId, due, order, event }: TimerRow, at: number): CameTimer {
  const isNamed = event.type === timerId && Object.keys(event).length === 1;
  return isNamed ? [timerId, due - at, order ?? 0] : [timerId, due - at, order ?? 0, event];
}

function decodeTimer({ id, seq, at }: JournalEntry, came: CameTimer): TimerRow {
  const [timerId, delayMs, order, event] = came;
  const token = `${id}:${seq}:${timerId}`;
  return { timerId, due: at + delayMs, token, event: event ?? { type: timerId }, order };
}

function encodeEffect(row: EffectRow, context: unknown): CameEffect {
  const { childId, src, input, trace, sync, systemId } = row;
  const attempt = row.waiting ? CHILD_ATTEMPT : row.attempt;
  const given = input === undefined ? undefined : ([deltaFrom({ context }, input)] as const);
  if (systemId !== undefined) {
    return [childId, src, attempt, given ?? null, trace ?? null, sync === true ? 1 : 0, systemId];
  }
  if (sync === true) return [childId, src, attempt, given ?? null, trace ?? null, 1];
  if (trace !== undefined) return [childId, src, attempt, given ?? null, trace];
  return given === undefined ? [childId, src, attempt] : [childId, src, attempt, given];
}

function decodeEffect({ id, seq }: JournalEntry, came: CameEffect, context: unknown): EffectRow {
  const [childId, src, attempt, inputDelta, trace, sync, systemId] = came;
  const token = `${id}:${seq}:${childId}`;
  const input = inputDelta ? applyDelta(undefined, inputDelta[0], { context }) : undefined;
  const waiting = attempt === CHILD_ATTEMPT;
  const row: EffectRow = { childId, src, input, token, attempt: waiting ? 0 : attempt, waiting };
  return {
    ...row,
    ...(sync === 1 ? { sync: true as const } : undefined),
    ...(typeof trace === 'string' ? { trace } : undefined),
    ...(systemId === undefined ? undefined : { systemId }),
  };
}
