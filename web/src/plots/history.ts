import type {
  EffectLoad,
  RuntimeFrame,
  RuntimeSample,
  StoreFamily,
} from '../../../src/domain/inspect/wire.ts';

/** Most samples kept in the page: 10 minutes. */
export const SAMPLES_MAX = 600;

/** Runtime data received so far. */
export interface History {
  readonly samples: readonly RuntimeSample[];
  readonly store: readonly StoreFamily[];
  readonly effects: readonly EffectLoad[];
}

/** Merges a frame into the history. The first frame of a connection replaces all samples. */
export function applyFrame(before: History | null, frame: RuntimeFrame): History {
  const { isFirst, store, effects } = frame;
  const known = isFirst ? [] : (before?.samples ?? []);
  const last = known.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  // After a pause, the server may send known samples again.
  const fresh = frame.samples.filter(({ at }) => at > last);
  return { samples: [...known, ...fresh].slice(-SAMPLES_MAX), store, effects };
}
