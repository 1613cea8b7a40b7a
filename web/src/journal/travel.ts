import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Points } from './points.ts';
import type { Rows } from './rows.ts';

/** Replay speeds as multiples of real time. */
export const SPEEDS = [1, 4, 16] as const;
/** A replay speed. */
export type Speed = (typeof SPEEDS)[number];

/** Longest pause between two replayed rows at speed 1, in milliseconds. */
export const DELAY_MAX_MS = 1500;
/** Shortest pause in milliseconds, so that each row is visible. */
export const DELAY_MIN_MS = 40;

/** Position of the page in the journal, with the controls to move it. */
export interface Travel {
  /** The selected row; `null` while live. */
  readonly at: ReadonlySignal<number | null>;
  readonly isPlaying: ReadonlySignal<boolean>;
  readonly speed: ReadonlySignal<Speed>;
  /** Number of rows that arrived since the page left live mode. */
  readonly unseen: ReadonlySignal<number>;
  goTo(seq: number): void;
  /** Moves by a number of rows, back if negative; live counts as the newest row. */
  step(rows: number): void;
  live(): void;
  play(): void;
  pause(): void;
  setSpeed(speed: Speed): void;
  stop(): void;
}

/** Starts and stops timers; injected so that tests can control them. */
export interface TravelTimers {
  start(run: () => void, ms: number): unknown;
  stop(handle: unknown): void;
}

/** Returns the pause between two replayed rows, in milliseconds. */
export function replayDelayMs(fromAt: number, toAt: number, speed: Speed): number {
  const gap = Math.min(DELAY_MAX_MS, Math.max(0, toAt - fromAt)) / speed;
  return Math.max(DELAY_MIN_MS, gap);
}

/** Creates the position in live mode. */
export function createTravel(rows: Rows, points: Points, waits: TravelTimers): Travel {
  const at = signal<number | null>(null);
  const speed = signal<Speed>(1);
  const leftAt = signal(0);

  function show(seq: number): void {
    batch(() => {
      if (at.peek() === null) leftAt.value = rows.span.peek().lastSeq;
      at.value = seq;
      points.request(seq);
    });
  }

  function bounded(seq: number): number {
    const { firstSeq, lastSeq } = rows.span.peek();
    return Math.min(Math.max(seq, firstSeq), Math.max(firstSeq, lastSeq));
  }

  const { isPlaying, pause, playOn } = createReplay({ rows, waits, at, speed, show });

  return {
    at,
    isPlaying,
    speed,
    unseen: computed(() =>
      at.value === null ? 0 : Math.max(0, rows.span.value.lastSeq - leftAt.value),
    ),
    goTo: (seq) => {
      pause();
      show(bounded(seq));
    },
    step: (count) => {
      pause();
      show(bounded((at.peek() ?? rows.span.peek().lastSeq) + count));
    },
    live: () => {
      pause();
      at.value = null;
      points.clear();
    },
    play: () => {
      const { firstSeq, lastSeq } = rows.span.peek();
      const from = at.peek();
      playOn(from === null || from >= lastSeq ? firstSeq : from);
    },
    pause,
    setSpeed: (wanted) => {
      speed.value = wanted;
    },
    stop: pause,
  };
}

interface ReplayParts {
  readonly rows: Rows;
  readonly waits: TravelTimers;
  readonly at: ReadonlySignal<number | null>;
  readonly speed: ReadonlySignal<Speed>;
  show(seq: number): void;
}

/** Replays row by row up to the newest one or until paused. */
function createReplay({ rows, waits, at, speed, show }: ReplayParts) {
  const isPlaying = signal(false);
  let handle: unknown;

  function pause(): void {
    waits.stop(handle);
    isPlaying.value = false;
  }

  function playFrom(seq: number): void {
    isPlaying.value = true;
    if (seq !== at.peek()) show(seq);
    if (seq >= rows.span.peek().lastSeq) {
      pause();
      return;
    }
    const [here, next] = [rows.row(seq), rows.row(seq + 1)];
    const ms =
      here === null || next === null ? DELAY_MAX_MS : replayDelayMs(here.at, next.at, speed.peek());
    handle = waits.start(() => {
      if (isPlaying.peek()) playFrom(seq + 1);
    }, ms);
  }

  return { isPlaying, pause, playOn: playFrom };
}
