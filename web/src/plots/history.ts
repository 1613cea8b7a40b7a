import type {
  EffectLoad,
  RuntimeFrame,
  RuntimeSample,
  StoreFamily,
} from '../../../src/domain/inspect/wire.ts';

/** Samples that the page keeps: ten minutes. */
export const SAMPLES_MAX = 600;

/** What the page knows of the runtime. */
export interface History {
  readonly samples: readonly RuntimeSample[];
  readonly store: readonly StoreFamily[];
  readonly effects: readonly EffectLoad[];
}

/** What is known after a frame. The first one of a connection replaces what was there. */
export function withFrame(before: History | null, frame: RuntimeFrame): History {
  const { isFirst, store, effects } = frame;
  const known = isFirst ? [] : (before?.samples ?? []);
  const last = known.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  // A server that was stopped in between may send what is known already.
  const fresh = frame.samples.filter(({ at }) => at > last);
  return { samples: [...known, ...fresh].slice(-SAMPLES_MAX), store, effects };
}
