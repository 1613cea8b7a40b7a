import type { LimitFunction } from 'p-limit';
import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { pause } from '../../domain/common/pause.ts';
import { HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { Screening } from '../../domain/screening/screening.ts';
import { type ListedParty, ScreeningIndex } from '../../domain/screening/screening-index.ts';
import { runInThread } from '../data/run-in-thread.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from '../data/upstream-reader.ts';
import type { UpstreamId } from '../data/upstreams.ts';

/** How long loaded lists are searched before they are loaded again, in milliseconds. */
export const LISTS_CACHE_MS = 12 * HOUR_MS;
/** Time limit for downloading the lists, repeats included, in milliseconds. */
const DOWNLOAD_TIMEOUT_MS = 80 * SECOND_MS;
/** Time limit for parsing the lists, in milliseconds. */
const PARSE_TIMEOUT_MS = 30 * SECOND_MS;
/** Parties per piece that the worker returns. */
const PIECE_PARTIES = 250;

/** The dependencies of screenings. */
export interface ScreeningDeps {
  readonly reader: UpstreamReader;
  readonly clock: Clock;
  /** Serializes the parsing of lists, because each needs much memory. */
  readonly serialize: LimitFunction;
}

interface LoadedList {
  readonly index: ScreeningIndex;
  readonly source: UnnumberedSource;
  readonly until: number;
}

/** A file of listed parties and its parser. */
export interface ListFile {
  readonly upstream: UpstreamId;
  readonly path: string;
  readonly accept: string;
  /** Function of the worker module. `data` is its input besides the file. */
  readonly program: 'readConsolidatedList' | 'readXmlList';
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Creates the screening of one list file, in memory. Outdated lists are not searched: if they
 * cannot be loaded again, it returns a failure.
 */
export function createListScreening(
  { reader, clock, serialize }: ScreeningDeps,
  file: ListFile,
): Screening {
  let loaded: LoadedList | undefined;
  let loading: Promise<SourceReading<ScreeningIndex>> | undefined;
  // Concurrent callers share one load, so it does not end with a single caller.
  const load = async (): Promise<SourceReading<ScreeningIndex>> => {
    const deadline = clock.now() + DOWNLOAD_TIMEOUT_MS;
    const { upstream, path, accept } = file;
    const request = { upstream, path, deadline, headers: { accept } };
    const reading = await reader.read(request, (answer) =>
      serialize(() => buildIndex(clock, file, answer)),
    );
    if (reading.ok) {
      const { value: index, source } = reading;
      loaded = { index, source, until: clock.now() + LISTS_CACHE_MS };
    }
    return reading;
  };
  const current = (): Promise<SourceReading<ScreeningIndex>> => {
    if (loaded !== undefined && loaded.until > clock.now()) {
      const source = { ...loaded.source, from_cache: true };
      return Promise.resolve({ ok: true, value: loaded.index, source });
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

async function buildIndex(
  clock: Clock,
  { program, data }: ListFile,
  answer: UpstreamAnswer,
): Promise<Parsed<ScreeningIndex>> {
  if (answer.status !== 200) {
    return { fault: 'upstream_gone', why: `HTTP ${answer.status} instead of the lists.` };
  }
  const pieces = await runInThread(clock, {
    program: { module: 'providers/screening/list-worker.mjs', name: program },
    data: { ...data, body: answer.body, pieceParties: PIECE_PARTIES },
    answer: Pieces,
    timeMs: PARSE_TIMEOUT_MS,
  });
  if (!('value' in pieces)) return pieces;
  const index = new ScreeningIndex();
  for (const piece of pieces.value) {
    for (const party of JSON.parse(piece) as readonly ListedParty[]) index.add(party);
    // Yields to the event loop between pieces.
    await pause(clock, 1);
  }
  return { value: index };
}
