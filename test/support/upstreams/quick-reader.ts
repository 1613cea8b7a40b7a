import {
  createUpstreamReader,
  type UpstreamReader,
  type UpstreamReaderDeps,
} from '../../../src/providers/data/upstream-reader.ts';
import { realClock } from '../real-clock.ts';
import type { UpstreamFault } from './fault-dial.ts';

/** What a reader of loopback upstreams is made with, and the fault that one of them has. */
export interface QuickReaderParts
  extends Pick<UpstreamReaderDeps, 'egress' | 'baseUrls' | 'contact'> {
  readonly fault?: UpstreamFault | undefined;
  /** How much shorter waits are. Default 20: those of a Retry-After stay long. */
  readonly haste?: number;
}

/** The reader that serves, with shorter waits between requests, and no patience where none helps. */
export function quickReader({ fault, haste = 20, ...parts }: QuickReaderParts): UpstreamReader {
  const isEndless = fault === 'hang' || fault === 'slow_drip';
  return createUpstreamReader({
    ...parts,
    clock: hasty(haste),
    random: { bytes: (length: number) => new Uint8Array(length) },
    ...(isEndless ? { answerMs: 200 } : {}),
  });
}

/** The real time, with waits that are so many times shorter. */
export function hasty(times: number): UpstreamReaderDeps['clock'] {
  return {
    now: realClock.now,
    at: (at, run) => realClock.at(realClock.now() + (at - realClock.now()) / times, run),
  };
}
