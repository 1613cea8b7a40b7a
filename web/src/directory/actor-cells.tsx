import type { JSX } from 'preact';
import type { ActorRow } from '../../../src/domain/inspect/wire.ts';
import { formatEvent } from '../journal/format.ts';
import { RelativeTime } from '../parts/times.tsx';
import { consoleUrl } from '../shell/router.ts';
import type { SortColumn } from './sort.ts';

/** A column of the actor list. */
export interface Column {
  readonly name: string;
  readonly title: string;
  /** `null` if the column cannot be sorted. */
  readonly sort: SortColumn | null;
  cell(row: ActorRow): JSX.Element | string;
}

/** Columns of the actor list, from left to right. */
export const COLUMNS: readonly Column[] = [
  {
    name: 'id',
    title: 'Actor',
    sort: 'id',
    cell: ({ id }) => (
      // The grid has the focus and opens rows with Enter; the link is for pointers and new tabs.
      <a class="mono" href={consoleUrl(['actor', id])} tabIndex={-1} title={id}>
        {id}
      </a>
    ),
  },
  { name: 'kind', title: 'Kind', sort: 'kind', cell: ({ kind }) => kind },
  {
    name: 'state',
    title: 'State',
    sort: 'state',
    cell: ({ state }) => <span title={state}>{state}</span>,
  },
  {
    name: 'status',
    title: 'Status',
    sort: 'status',
    cell: ({ status }) => <span class={`state-pill is-${status}`}>{status}</span>,
  },
  {
    name: 'event',
    title: 'Last event',
    sort: null,
    cell: ({ lastEvent }) => (lastEvent === null ? '–' : formatEvent({ type: lastEvent })),
  },
  { name: 'moved', title: 'Updated', sort: 'at', cell: ({ at }) => <RelativeTime at={at} /> },
  {
    name: 'age',
    title: 'Created',
    sort: 'createdAt',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  { name: 'rows', title: 'Rows', sort: 'seq', cell: ({ seq }) => seq.toLocaleString('en') },
];
