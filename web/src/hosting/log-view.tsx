import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LogLine } from '../../../src/domain/hosting/records.ts';
import { LOG_LEVELS, LOG_TYPES } from '../../../src/domain/hosting/value-sets.ts';
import { formatPreciseTime } from '../journal/format.ts';
import { EmptyState, Loading } from '../parts/notice.tsx';
import { formatDateTime } from '../parts/times.tsx';
import { navigate } from '../shell/router.ts';
import { levelsFrom } from './log-lines.ts';
import { type LogQueryText, useLogs } from './use-logs.ts';

/** Debounce of text filters, in milliseconds. */
const DEBOUNCE_MS = 400;
/** Largest distance from the end that still counts as scrolled to the end, in pixels. */
const END_PIXELS = 24;
const HOURS = [
  ['1', 'last hour'],
  ['24', 'last day'],
  ['168', 'last week'],
  ['720', 'last 30 days'],
] as const;
const NAMES = ['level', 'type', 'text', 'statusCode', 'hours'] as const;
type Name = (typeof NAMES)[number];

/** Live log of a service or a database; the URL holds the filters. */
export function LogView({
  resource,
  query,
}: {
  readonly resource: string;
  readonly query: URLSearchParams;
}): JSX.Element {
  const asked = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as Readonly<
    Record<Name, string>
  >;
  const filters: LogQueryText = { ...asked, level: levelsFrom(asked.level) };
  const log = useLogs(resource, filters);
  const [held, setHeld] = useState<readonly LogLine[] | null>(null);
  const lines = held ?? log.lines;
  const more = held === null ? 0 : countNewer(held.at(-1), log.lines);
  return (
    <section class="panel log-view" aria-labelledby="log-title">
      <h2 id="log-title">Logs</h2>
      <Filters asked={asked} />
      <div class="toolbar">
        <span class={`line-mark ${log.isLive ? 'is-live' : 'is-lost'}`} data-live={log.isLive}>
          <span class="line-dot" />
          {log.isLive ? 'Live' : 'Not live'}
        </span>
        <button
          type="button"
          class="button is-small"
          aria-pressed={held !== null}
          onClick={() => setHeld(held === null ? log.lines : null)}
        >
          {held === null ? 'Pause' : `Resume (${more} new)`}
        </button>
        {log.older === null ? null : (
          <button type="button" class="button is-small" onClick={log.older}>
            Older
          </button>
        )}
      </div>
      {log.error === null ? null : (
        <p class="form-fault" role="alert">
          {log.error}
        </p>
      )}
      <Lines lines={lines} isRead={log.isRead} />
    </section>
  );
}

function countNewer(last: LogLine | undefined, lines: readonly LogLine[]): number {
  return lines.filter(({ timestamp }) => last === undefined || timestamp > last.timestamp).length;
}

function Filters({ asked }: { readonly asked: Readonly<Record<Name, string>> }): JSX.Element {
  const set = (name: Name, value: string): void => {
    const search = new URLSearchParams(location.search);
    if (value === '') search.delete(name);
    else search.set(name, value);
    const tail = search.size === 0 ? '' : `?${search}`;
    navigate(`${location.pathname}${tail}`, { replace: true });
  };
  return (
    <div class="log-filters" role="search" aria-label="Filter lines">
      <SelectField
        label="Level"
        value={asked.level}
        set={(value) => set('level', value)}
        choices={[
          ['', 'all'],
          ...LOG_LEVELS.slice(1).map((one) => [one, `${one} and above`] as const),
        ]}
      />
      <SelectField
        label="Kind"
        value={asked.type}
        set={(value) => set('type', value)}
        choices={[['', 'all'], ...LOG_TYPES.map((one) => [one, one] as const)]}
      />
      <SelectField
        label="Time"
        value={asked.hours === '' ? '24' : asked.hours}
        set={(value) => set('hours', value)}
        choices={HOURS}
      />
      <DebouncedField
        label="Text"
        hint="words, * or /regex/"
        value={asked.text}
        set={(value) => set('text', value)}
      />
      <DebouncedField
        label="Status"
        hint="such as 404 or 5*"
        value={asked.statusCode}
        set={(value) => set('statusCode', value)}
      />
    </div>
  );
}

function SelectField({
  label,
  value,
  set,
  choices,
}: {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly choices: readonly (readonly [value: string, words: string])[];
}): JSX.Element {
  return (
    <label>
      {label}
      <select
        class="field"
        value={value}
        onChange={({ currentTarget }) => set(currentTarget.value)}
      >
        {choices.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

function DebouncedField({
  label,
  hint,
  value,
  set,
}: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly set: (value: string) => void;
}): JSX.Element {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return undefined;
    const later = setTimeout(() => set(text), DEBOUNCE_MS);
    return () => clearTimeout(later);
  }, [text]);
  return (
    <label>
      {label}
      <input
        class="field"
        value={text}
        placeholder={hint}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}

function Lines({
  lines,
  isRead,
}: {
  readonly lines: readonly LogLine[];
  readonly isRead: boolean;
}): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = list.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [lines]);
  if (lines.length === 0) {
    return isRead ? <EmptyState title="No matching lines" /> : <Loading what="lines" />;
  }
  return (
    <ol
      class="log-lines"
      ref={list}
      tabIndex={0}
      aria-label="Lines, newest last"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PIXELS;
      }}
    >
      {lines.map((line) => (
        <LogLineItem key={line.id} line={line} />
      ))}
    </ol>
  );
}

function LogLineItem({ line }: { readonly line: LogLine }): JSX.Element {
  const { timestamp, message, labels } = line;
  const { type, level } = labels;
  const at = Date.parse(timestamp);
  return (
    <li class={`log-line is-${level}`} data-line={line.id}>
      <time dateTime={timestamp} title={formatDateTime(at)}>
        {formatPreciseTime(at)}
      </time>
      <span class="log-level">{level}</span>
      <span class="muted">{type}</span>
      <bdi class="log-text">{message}</bdi>
    </li>
  );
}
