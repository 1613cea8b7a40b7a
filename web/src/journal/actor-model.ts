import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { ActorFrame, ActorPoint } from '../../../src/domain/inspect/wire.ts';
import type { Connection } from '../connection/connection.ts';
import { createPoints, type Points } from './points.ts';
import { createRows, type Rows } from './rows.ts';
import { createTravel, type Travel } from './travel.ts';

/** View model of an actor's page: live, or at a row of its journal. */
export interface ActorModel {
  readonly actorId: string;
  /** The newest state; `null` before the first one. */
  readonly frame: ReadonlySignal<ActorFrame | null>;
  /** The displayed state: the newest, or the one at the selected row. */
  readonly point: ReadonlySignal<ActorPoint | null>;
  /** Why the subscription ended; `null` while it is active. */
  readonly ended: ReadonlySignal<string | null>;
  readonly rows: Rows;
  readonly points: Points;
  readonly travel: Travel;
  /** The two rows to compare. */
  readonly marks: ReadonlySignal<Marks>;
  mark(name: 'from' | 'to', seq: number | null): void;
  stop(): void;
}

/** Journal rows selected for comparison. */
export interface Marks {
  readonly from: number | null;
  readonly to: number | null;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Creates the view model of an actor, live or at the row `atSeq`, and subscribes to the actor. */
export function createActorModel(
  connection: Pick<Connection, 'subscribe' | 'read'>,
  actorId: string,
  atSeq: number | null,
): ActorModel {
  const frame = signal<ActorFrame | null>(null);
  const ended = signal<string | null>(null);
  const marks = signal<Marks>({ from: null, to: null });
  const rows = createRows((from, limit) =>
    connection.read({ name: 'journal', actorId, from, limit }),
  );
  const points = createPoints(
    (seq) => connection.read({ name: 'point', actorId, atSeq: seq }),
    pause,
  );
  const travel = createTravel(rows, points, {
    start: (run, ms) => setTimeout(run, ms),
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
    point: displayedPoint(frame, travel, points),
    mark: (name, seq) => {
      marks.value = { ...marks.peek(), [name]: seq };
    },
    stop: () => {
      travel.stop();
      unsubscribe();
    },
  };
}

/** Keeps the previous point while a row loads, so that the chart keeps its scroll position. */
function displayedPoint(
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
