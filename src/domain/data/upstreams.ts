import type { DataFailure } from './data-failure.ts';
import type { UnnumberedSource } from './source.ts';

/** An upstream: its address, its limits and its probe. */
export interface Upstream {
  readonly baseUrl: string;
  /** Path of a small public answer, which shows whether it is available. */
  readonly probe: string;
  /** Minimum interval between two requests, in milliseconds. */
  readonly intervalMs: number;
  /** Most concurrent requests. */
  readonly concurrency: number;
  /** How long an answer is cached, in milliseconds. */
  readonly keptMs: number;
  /** Whether it requires a contact address. */
  readonly needsContact: boolean;
  readonly license: string;
  /** Most bytes of one answer, if it differs from the default. */
  readonly bytesMax?: number;
  /** Most redirects to follow, each checked again. Default: 0. */
  readonly redirectsMax?: number;
  /** Timeout of one request in milliseconds, if it differs from the default. */
  readonly answerMs?: number;
}

/** Limits of most upstreams with market data. */
export const MARKET_UPSTREAM = { concurrency: 2, keptMs: 2_000, needsContact: false } as const;

/** A value read from an upstream with its source, or the failure. */
export type SourceReading<T> =
  | { readonly ok: true; readonly value: T; readonly source: UnnumberedSource }
  | { readonly ok: false; readonly fault: DataFailure };
