import type { DataFailure } from './data-failure.ts';
import type { UnnumberedSource } from './source.ts';

/** A value read from an upstream with its source, or the failure. */
export type SourceReading<T> =
  | { readonly ok: true; readonly value: T; readonly source: UnnumberedSource }
  | { readonly ok: false; readonly fault: DataFailure };
