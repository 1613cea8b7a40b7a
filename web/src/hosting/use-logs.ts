import { useEffect, useState } from 'preact/hooks';
import type { LogLine, LogPage } from '../../../src/domain/hosting/records.ts';
import { readUrl } from '../reads/read.ts';
import { hostingUrl } from './hosting-url.ts';
import { LINES_MAX, mergeLines } from './log-lines.ts';

/** Interval in which new lines are rendered together, in milliseconds. */
const RENDER_MS = 150;
/** Most pages read to catch up after a reconnect; later lines are skipped. */
const CATCH_UP_PAGES = 10;

/** Filters of a log as URL query values. */
export type LogQueryText = Readonly<Record<string, string>>;

/** State of a live log. */
export interface FollowedLog {
  readonly lines: readonly LogLine[];
  /** True while new lines arrive as they are written. */
  readonly isLive: boolean;
  readonly isRead: boolean;
  readonly error: string | null;
  /** Loads older lines; `null` if there are none. */
  readonly older: (() => void) | null;
}

interface State {
  readonly lines: readonly LogLine[];
  readonly isLive: boolean;
  readonly isRead: boolean;
  readonly error: string | null;
  readonly before: string | null;
}

const EMPTY_STATE: State = { lines: [], isLive: false, isRead: false, error: null, before: null };

/** Loads the newest lines and follows new ones; after a reconnect, loads the missed lines. */
export function useLogs(resource: string, filters: LogQueryText): FollowedLog {
  const [state, setState] = useState<State>(EMPTY_STATE);
  const key = JSON.stringify([resource, filters]);
  useEffect(() => {
    setState(EMPTY_STATE);
    return followLog(resource, filters, (change) => setState(change));
  }, [key]);
  const { before, lines } = state;
  const older = (): void => {
    void readPage(resource, filters, { before: before ?? '' }).then(({ value, fault }) => {
      setState((now) => ({
        ...now,
        error: fault?.words ?? null,
        lines: mergeLines(now.lines, value?.logs ?? []),
        before: value === null ? now.before : olderCursor(value),
      }));
    });
  };
  const mayBeOlder = before !== null && lines.length < LINES_MAX;
  return { ...state, older: mayBeOlder ? older : null };
}

type Change = (change: (before: State) => State) => void;

function followLog(resource: string, filters: LogQueryText, change: Change): () => void {
  const { hours: _back, ...lasting } = filters;
  const source = new EventSource(hostingUrl(['logs', 'tail'], { resource, ...lasting }));
  const waiting: LogLine[] = [];
  let last: string | null = null;
  let isOver = false;
  const take = (come: readonly LogLine[]): void => {
    for (const { timestamp } of come) if (last === null || timestamp > last) last = timestamp;
    change((before) => ({ ...before, lines: mergeLines(before.lines, come) }));
  };
  const readNewest = async (): Promise<void> => {
    const { value, fault } = await readPage(resource, filters, {});
    if (isOver) return;
    if (value !== null) take(value.logs);
    const next = value === null ? null : olderCursor(value);
    change((now) => ({ ...now, isRead: true, error: fault?.words ?? null, before: next }));
  };
  const catchUp = async (from: string): Promise<void> => {
    let since = from;
    for (let page = 0; page < CATCH_UP_PAGES && !isOver; page += 1) {
      const { value } = await readPage(resource, filters, { since });
      if (value === null || isOver) return;
      take(value.logs);
      if (!value.hasMore) return;
      since = value.nextStartTime;
    }
  };
  const drawing = setInterval(() => {
    if (waiting.length > 0) take(waiting.splice(0));
  }, RENDER_MS);
  source.addEventListener('open', () => {
    change((before) => ({ ...before, isLive: true }));
    void (last === null ? readNewest() : catchUp(last));
  });
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    waiting.push(JSON.parse(data) as LogLine);
    if (waiting.length > LINES_MAX) waiting.shift();
  });
  source.addEventListener('error', () => {
    change((before) => ({ ...before, isLive: false }));
    // The browser does not reconnect after a rejection: read once to show the reason.
    if (source.readyState === EventSource.CLOSED) void readNewest();
  });
  return () => {
    isOver = true;
    clearInterval(drawing);
    source.close();
  };
}

function readPage(resource: string, filters: LogQueryText, place: LogQueryText) {
  return readUrl<LogPage>(hostingUrl(['logs'], { resource, ...filters, ...place }));
}

function olderCursor({ hasMore, nextEndTime }: LogPage): string | null {
  return hasMore ? nextEndTime : null;
}
