import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { ActorFrame, ActorPoint } from '../../../src/domain/inspect/wire.ts';
import type { Connection } from '../connection/connection.ts';
import { createPoints, type Points } from './points.ts';
import { createRows, type JournalPage, type Rows } from './rows.ts';
import { createTravel, type Travel } from './travel.ts';

/** One actor as its page sees it: now, or at a row of its journal. */
export interface ActorModel {
  readonly actorId: string;
  /** The newest state; `null` before the first one. */
  readonly frame: ReadonlySignal<ActorFrame | null>;
  /** What is shown: the newest state, or the one at the row that is looked at. */
  readonly point: ReadonlySignal<ActorPoint | null>;
  /** Why there is nothing to see. */
  readonly ended: ReadonlySignal<string | null>;
  readonly rows: Rows;
  readonly points: Points;
  readonly travel: Travel;
  /** Rows between which the context is compared. */
  readonly marks: ReadonlySignal<Marks>;
  mark(name: 'from' | 'to', seq: number | null): void;
  end(): void;
}

/** See {@link ActorModel.marks}. */
export interface Marks {
  readonly from: number | null;
  readonly to: number | null;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Begins to watch an actor, live or at the row `atSeq`. */
export function createActorModel(
  connection: Pick<Connection, 'subscribe' | 'read'>,
  actorId: string,
  atSeq: number | null,
): ActorModel {
  const frame = signal<ActorFrame | null>(null);
  const ended = signal<string | null>(null);
  const marks = signal<Marks>({ from: null, to: null });
  const rows = createRows(async (from, limit) => {
    const page = await connection.read({ name: 'journal', actorId, from, limit });
    // The shape that `message.ts` names beside the reading.
    return page as unknown as JournalPage;
  });
  const points = createPoints(async (seq) => {
    const point = await connection.read({ name: 'point', actorId, atSeq: seq });
    return point as unknown as ActorPoint;
  }, pause);
  const travel = createTravel(rows, points, {
    begin: (run, ms) => setTimeout(run, ms),
    stop: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
  });
  let isPlaced = atSeq === null;
  const unsubscribe = connection.subscribe(
    { name: 'actor', actorId },
    {
      frame: (next) => {
        frame.value = next;
        ended.value = null;
        rows.extend(rows.span.peek().firstSeq, next.seq);
        if (isPlaced || atSeq === null) return;
        isPlaced = true;
        travel.goTo(atSeq);
      },
      rows: (pushed) => rows.push(pushed),
      ended: ({ code, message }) => {
        ended.value = `${message} (${code})`;
      },
    },
  );
  return {
    actorId,
    frame,
    ended,
    rows,
    points,
    travel,
    marks,
    point: shownPoint(frame, travel, points),
    mark: (name, seq) => {
      marks.value = { ...marks.peek(), [name]: seq };
    },
    end: () => {
      travel.end();
      unsubscribe();
    },
  };
}

/** While a row is read, what was shown before stays: a chart that goes away loses its place. */
function shownPoint(
  frame: ReadonlySignal<ActorFrame | null>,
  travel: Travel,
  points: Points,
): ReadonlySignal<ActorPoint | null> {
  let before: ActorPoint | null = null;
  return computed(() => {
    const state = points.state.value;
    if (travel.at.value === null) before = frame.value;
    else if (state.kind === 'read') before = state.point;
    else if (state.kind === 'reading') before = state.point ?? before;
    else before = null;
    return before;
  });
}
