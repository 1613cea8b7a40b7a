import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { JournalRow } from '../../../src/domain/inspect/wire.ts';
import type { ActorModel } from './actor-model.ts';
import {
  ALL_ROWS,
  CAUSE_LABELS,
  ENTRY_LABELS,
  FILTER_ROWS_MAX,
  isFilterActive,
  matchesFilter,
  type RowFilter,
} from './filter.ts';
import { formatCause, formatCount, formatEvent, formatPreciseTime } from './format.ts';
import { PAGE_ROWS } from './rows.ts';
import { formatInnermostStates } from './states.ts';
import { VirtualRows } from './virtual-rows.tsx';

/** The journal of an actor as a list of rows, with the selected row marked. */
export function JournalList({ model }: { readonly model: ActorModel }): JSX.Element {
  const filter = useSignal<RowFilter>(ALL_ROWS);
  const { rows, travel, marks } = model;
  const { firstSeq, lastSeq } = rows.span.value;
  const seqs = useMatchingRows(model, filter.value);
  const at = travel.at.value;
  const seqOf = (index: number): number => (seqs === null ? firstSeq + index : (seqs[index] ?? 0));
  const indexOf = (seq: number): number => (seqs === null ? seq - firstSeq : seqs.indexOf(seq));
  const chosen = at === null ? -1 : indexOf(at);
  const count = seqs === null ? Math.max(0, lastSeq - firstSeq + 1) : seqs.length;
  return (
    <section class="journal" aria-labelledby="journal-title">
      <div class="section-head">
        <h2 id="journal-title">Journal</h2>
        <span class="quiet" data-rows={count}>
          {formatCount(count, 'row')}
          {seqs === null ? '' : ` of ${(lastSeq - firstSeq + 1).toLocaleString('en')}`}
        </span>
        <Filters
          filter={filter.value}
          change={(next) => {
            filter.value = next;
          }}
        />
      </div>
      <VirtualRows
        id="journal-row"
        label="Rows of the journal, oldest first"
        count={count}
        selected={chosen < 0 ? null : chosen}
        isFollowing={at === null}
        choose={(index) => travel.goTo(seqOf(index))}
        row={(index) => {
          const seq = seqOf(index);
          return <Row seq={seq} row={rows.row(seq)} mark={formatMark(marks.value, seq)} />;
        }}
      />
    </section>
  );
}

/** Returns the sequence numbers of matching rows; `null` if no filter is active. */
function useMatchingRows({ rows }: ActorModel, filter: RowFilter): readonly number[] | null {
  const change = rows.change.value;
  const { firstSeq, lastSeq } = rows.span.value;
  const from = Math.max(firstSeq, lastSeq - FILTER_ROWS_MAX + 1);
  const isOn = isFilterActive(filter);
  useEffect(() => {
    if (!isOn) return;
    // Load page by page from the newest, so that the newest rows appear first.
    const load = async (): Promise<void> => {
      for (let to = lastSeq; to >= from; to -= PAGE_ROWS) {
        await rows.load(Math.max(from, to - PAGE_ROWS + 1), to);
      }
    };
    void load();
  }, [isOn, rows]);
  return useMemo(() => {
    if (!isOn) return null;
    const listed: number[] = [];
    for (let seq = from; seq <= lastSeq; seq += 1) {
      const row = rows.peek(seq);
      if (row !== null && matchesFilter(row, filter)) listed.push(seq);
    }
    return listed;
  }, [isOn, filter, change, from, lastSeq]);
}

function formatMark({ from, to }: { from: number | null; to: number | null }, seq: number): string {
  return [seq === from ? 'A' : '', seq === to ? 'B' : ''].join('');
}

function Row({
  seq,
  row,
  mark,
}: {
  readonly seq: number;
  readonly row: JournalRow | null;
  readonly mark: string;
}): JSX.Element {
  if (row === null) return <span class="row-seq">{seq} …</span>;
  return (
    <>
      <span class="row-seq">{seq}</span>
      <time class="row-time" dateTime={new Date(row.at).toISOString()}>
        {formatPreciseTime(row.at)}
      </time>
      <span class="row-event" title={row.event['type'] as string}>
        {mark === '' ? null : <span class="row-mark">{mark}</span>}
        {row.entry === 'event' ? null : <span class={`entry is-${row.entry}`}>{row.entry}</span>}
        {formatEvent(row.event)}
      </span>
      <span class="row-state">{formatInnermostStates(row.activeIds)}</span>
      <span class="row-cause" title={formatCause(row.cause)}>
        {formatCause(row.cause)}
      </span>
    </>
  );
}

function Filters({
  filter,
  change,
}: {
  readonly filter: RowFilter;
  change(next: RowFilter): void;
}): JSX.Element {
  return (
    <span class="row-filters">
      <label>
        <span class="visually-hidden">Kind of row</span>
        <select
          class="field is-small"
          value={filter.entry}
          onChange={({ currentTarget }) =>
            change({ ...filter, entry: currentTarget.value as RowFilter['entry'] })
          }
        >
          {ENTRY_LABELS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="visually-hidden">Cause of the row</span>
        <select
          class="field is-small"
          value={filter.by}
          onChange={({ currentTarget }) => change({ ...filter, by: currentTarget.value })}
        >
          {CAUSE_LABELS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </span>
  );
}
