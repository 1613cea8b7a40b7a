import type { DataFault } from './fault.ts';
import type { SourceFacts } from './source.ts';

/** A value read from an upstream with its source, or the failure. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T; readonly source: SourceFacts }
  | { readonly ok: false; readonly fault: DataFault };
