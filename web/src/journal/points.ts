import { type ReadonlySignal, signal } from '@preact/signals';
import type { ActorPoint } from '../../../src/domain/inspect/wire.ts';
import { errorMessage } from '../connection/request-error.ts';

/** Most points in the cache. */
export const POINTS_MAX = 64;
/** Pause between two reads in milliseconds, so that scrubbing does not flood the server. */
export const PACE_MS = 25;

/** State of the row that was requested last. */
export type PointState =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading'; readonly seq: number; readonly point: ActorPoint | null }
  | { readonly kind: 'read'; readonly seq: number; readonly point: ActorPoint }
  | { readonly kind: 'refused'; readonly seq: number; readonly words: string };

/** Reads the state of an actor at rows of its journal, one at a time; the latest request wins. */
export interface Points {
  readonly state: ReadonlySignal<PointState>;
  request(seq: number): void;
  /** Clears the state and drops a running read. */
  clear(): void;
  /** Returns the actor's state at a row, from the cache or from the server. */
  at(seq: number): Promise<ActorPoint>;
}

/**
 * Creates a reader of points with an empty cache.
 *
 * @param readPoint - Rejects with a `RequestError`.
 * @param wait - Resolves after that many milliseconds.
 */
export function createPoints(
  readPoint: (seq: number) => Promise<ActorPoint>,
  wait: (ms: number) => Promise<void>,
): Points {
  const cache = new Map<number, ActorPoint>();
  const state = signal<PointState>({ kind: 'none' });
  let wanted: number | null = null;
  let isReading = false;

  async function at(seq: number): Promise<ActorPoint> {
    const known = cache.get(seq);
    const point = known ?? (await readPoint(seq));
    cache.delete(seq);
    cache.set(seq, point);
    const [oldest] = cache.keys();
    if (cache.size > POINTS_MAX && oldest !== undefined) cache.delete(oldest);
    return point;
  }

  async function readWanted(seq: number): Promise<void> {
    try {
      const point = await at(seq);
      // If another row is wanted by now, show this one meanwhile.
      if (wanted === seq) state.value = { kind: 'read', seq, point };
      else if (wanted !== null) state.value = { kind: 'reading', seq: wanted, point };
    } catch (error) {
      if (wanted === seq) state.value = { kind: 'refused', seq, words: errorMessage(error) };
    }
  }

  async function processRequests(): Promise<void> {
    if (isReading) return;
    isReading = true;
    while (wanted !== null && !isShown(state.peek(), wanted)) {
      await readWanted(wanted);
      await wait(PACE_MS);
    }
    isReading = false;
  }

  return {
    state,
    at,
    request: (seq) => {
      wanted = seq;
      const known = cache.get(seq);
      if (known !== undefined) state.value = { kind: 'read', seq, point: known };
      else state.value = { kind: 'reading', seq, point: displayedPoint(state.peek()) };
      void processRequests();
    },
    clear: () => {
      wanted = null;
      state.value = { kind: 'none' };
    },
  };
}

function isShown(state: PointState, seq: number): boolean {
  return (state.kind === 'read' || state.kind === 'refused') && state.seq === seq;
}

function displayedPoint(state: PointState): ActorPoint | null {
  return state.kind === 'read' || state.kind === 'reading' ? state.point : null;
}
