import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { SourceFacts } from '../../domain/data/source.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import { type ListedParty, ScreeningIndex } from '../../domain/screening/screen.ts';
import type { Screening } from '../../domain/screening/screening.ts';
import { pause } from '../data/pause.ts';
import { inThread } from '../data/thread.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from '../data/upstream-reader.ts';
import type { UpstreamId } from '../data/upstreams.ts';
import { PIECE_PARTIES } from './list-program.ts';
import type { Turn } from './turn.ts';

/** How long the lists are searched without asking for them again, in milliseconds. */
export const LISTS_KEPT_MS = 12 * HOUR_MS;
/** Milliseconds for reading the lists, repeats included. */
const LISTS_READ_MS = 80 * SECOND_MS;
/** Milliseconds for taking the lists apart. */
const LISTS_APART_MS = 30 * SECOND_MS;

/** What lists are read with. */
export interface ScreeningParts {
  readonly reader: UpstreamReader;
  readonly clock: Clock;
  /** Lists are taken apart one after the other: a thread of theirs takes much memory. */
  readonly turn: Turn;
}

interface Kept {
  readonly index: ScreeningIndex;
  readonly source: SourceFacts;
  readonly until: number;
}

/** One file of listed parties, and how it is taken apart. */
export interface ListFile {
  readonly upstream: UpstreamId;
  readonly path: string;
  readonly accept: string;
  /** Text of the program for the thread, and what it is given beside the file. */
  readonly program: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * A file of lists, in memory. Old lists are not searched: when they cannot be read again there is a
 * fault and no answer.
 */
export function listScreening({ reader, clock, turn }: ScreeningParts, file: ListFile): Screening {
  let kept: Kept | undefined;
  let loading: Promise<Reading<ScreeningIndex>> | undefined;
  // Whoever comes meanwhile waits for the same reading, so it ends with nobody's call.
  const load = async (): Promise<Reading<ScreeningIndex>> => {
    const deadline = clock.now() + LISTS_READ_MS;
    const { upstream, path, accept } = file;
    const request = { upstream, path, deadline, headers: { accept } };
    const reading = await reader.read(request, (answer) =>
      turn.take(() => indexOf(clock, file, answer)),
    );
    if (reading.ok) {
      const { value: index, source } = reading;
      kept = { index, source, until: clock.now() + LISTS_KEPT_MS };
    }
    return reading;
  };
  const current = (): Promise<Reading<ScreeningIndex>> => {
    if (kept !== undefined && kept.until > clock.now()) {
      const source = { ...kept.source, from_cache: true };
      return Promise.resolve({ ok: true, value: kept.index, source });
    }
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  return {
    screen: async (names) => {
      const reading = await current();
      if (!reading.ok) return reading;
      const index = reading.value;
      const lists = [...index.lists].map(([list, parties]) => ({ list, parties }));
      return { ...reading, value: { hits: index.search(names), lists } };
    },
  };
}

const Pieces = z.array(z.string()).min(1);

async function indexOf(
  clock: Clock,
  { program, data }: ListFile,
  answer: UpstreamAnswer,
): Promise<Parsed<ScreeningIndex>> {
  if (answer.status !== 200) {
    return { fault: 'upstream_gone', why: `HTTP ${answer.status} in place of the lists.` };
  }
  const pieces = await inThread(clock, {
    program,
    data: { ...data, body: answer.body, pieceParties: PIECE_PARTIES },
    answer: Pieces,
    timeMs: LISTS_APART_MS,
  });
  if (!('value' in pieces)) return pieces;
  const index = new ScreeningIndex();
  for (const piece of pieces.value) {
    for (const party of JSON.parse(piece) as readonly ListedParty[]) index.add(party);
    // Others have their turn between two pieces.
    await pause(clock, 1);
  }
  return { value: index };
}
