import { applyDelta, deltaBetween, deltaFrom, SAME } from '../journal/delta.ts';
import type { Moment } from './moment.ts';
import { freeze } from './plain.ts';
import type { CameEffect, CameTimer, RowChange } from './ports.ts';
import { persistHistory } from './snapshot.ts';
import type { EffectRow, Ev, JournalEntry, PersistedSnapshot, TimerRow } from './types.ts';

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
export function changeBetween(before: Moment, after: Moment, event: Ev): RowChange {
  const context = deltaBetween(before.snapshot.context, after.snapshot.context, event);
  const history = changedHistory(before, after);
  const timers =
    before.timers === after.timers
      ? undefined
      : difference(before.timers, after.timers, (row) => cameTimer(row, after.at));
  const { effects } = after;
  const came = (row: EffectRow) => cameEffect(row, after.snapshot.context);
  const { output } = after.snapshot;
  return {
    ...(context === SAME ? undefined : { context }),
    ...(history === undefined ? undefined : { history }),
    ...(output === undefined ? undefined : { output: output as unknown }),
    ...(timers === undefined ? undefined : { timers }),
    ...(before.effects === effects
      ? undefined
      : { effects: difference(before.effects, effects, came) }),
  };
}

/** Returns the rows after an event by applying its change to the rows before it. */
export function applyChange(
  before: ActorAtRest,
  entry: JournalEntry,
  change: RowChange,
): ActorAtRest {
  const { context: held, historyValue: past } = before.snapshot;
  const context =
    change.context === undefined ? held : applyDelta(held, change.context, entry.event);
  const history = change.history === undefined ? past : change.history;
  const snapshot: PersistedSnapshot = {
    status: entry.status === 'stuck' ? 'active' : entry.status,
    value: entry.value,
    context: context as PersistedSnapshot['context'],
    ...(history === undefined ? undefined : { historyValue: history }),
    ...(change.output === undefined ? undefined : { output: change.output }),
  };
  const trace = entry.trace ?? before.trace;
  return {
    snapshot: freeze(snapshot),
    timers: follow(before.timers, change.timers, (came) => timerRow(entry, came)),
    effects: follow(before.effects, change.effects, (came) =>
      effectRow(entry, came, snapshot.context),
    ),
    seq: entry.seq,
    at: entry.at,
    stuck: false,
    trace,
  };
}

function changedHistory({ snapshot: before }: Moment, { snapshot: after }: Moment): unknown {
  if (before.historyValue === after.historyValue) return undefined;
  const [past, present] = [persistHistory(before.historyValue), persistHistory(after.historyValue)];
  return JSON.stringify(past) === JSON.stringify(present) ? undefined : (present ?? {});
}

function difference<Row, Came>(
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
  write: (row: Row) => Came,
): readonly [readonly (string | number)[], readonly Came[]] {
  const gone: (string | number)[] = [];
  const came: Came[] = [];
  const places = placesOf(before);
  before.forEach((_row, id) => {
    if (!after.has(id)) gone.push(places.length === 0 ? id : places.indexOf(id));
  });
  after.forEach((row, id) => {
    if (before.get(id) !== row) came.push(write(row));
  });
  return [gone, came];
}

/** Removed rows are identified by their index in the sorted ids, unless there are too many. */
function placesOf(rows: ReadonlyMap<string, unknown>): readonly string[] {
  return rows.size > PLACES_MAX ? [] : [...rows.keys()].sort();
}

const PLACES_MAX = 16;

function follow<Row, Came extends readonly [string, ...unknown[]]>(
  before: ReadonlyMap<string, Row>,
  change: readonly [readonly (string | number)[], readonly Came[]] | undefined,
  read: (came: Came) => Row,
): ReadonlyMap<string, Row> {
  if (change === undefined) return before;
  const after = new Map(before);
  const [gone, come] = change;
  const places = placesOf(before);
  for (const id of gone) after.delete(typeof id === 'number' ? String(places[id]) : id);
  for (const came of come) {
    after.delete(came[0]);
    after.set(came[0], freeze(read(came)));
  }
  return after;
}

function cameTimer({ timerId, due, order, event }: TimerRow, at: number): CameTimer {
  const isNamed = event.type === timerId && Object.keys(event).length === 1;
  return isNamed ? [timerId, due - at, order ?? 0] : [timerId, due - at, order ?? 0, event];
}

function timerRow({ id, seq, at }: JournalEntry, came: CameTimer): TimerRow {
  const [timerId, delayMs, order, event] = came;
  const token = `${id}:${seq}:${timerId}`;
  return { timerId, due: at + delayMs, token, event: event ?? { type: timerId }, order };
}

function cameEffect(row: EffectRow, context: unknown): CameEffect {
  const { childId, src, attempt, input, trace } = row;
  const given = input === undefined ? undefined : ([deltaFrom({ context }, input)] as const);
  if (trace !== undefined) return [childId, src, attempt, given ?? null, trace];
  return given === undefined ? [childId, src, attempt] : [childId, src, attempt, given];
}

function effectRow({ id, seq }: JournalEntry, came: CameEffect, context: unknown): EffectRow {
  const [childId, src, attempt, given, trace] = came;
  const token = `${id}:${seq}:${childId}`;
  const input = given ? applyDelta(undefined, given[0], { context }) : undefined;
  const row: EffectRow = { childId, src, input, token, attempt, waiting: false };
  return trace === undefined ? row : { ...row, trace };
}
