import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Money } from '../../../../src/domain/common/money.ts';
import type { PublicEvent } from '../../../../src/domain/event/event-log.ts';
import { formatCount, formatMicroUsd } from '../../journal/format.ts';
import { Dollars, FactList, ShortName, Timestamp, WideTable } from '../../parts/facts.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { ReadView } from '../../reads/read-view.tsx';
import { type PolledRead, useRead } from '../../reads/use-read.ts';
import './trust.css';

interface BalanceReport {
  readonly chain: string;
  readonly token: string;
  readonly treasury: { readonly address: string; readonly balance: Money };
  readonly escrow: {
    readonly address: string;
    readonly balance: Money;
    readonly held: Money;
    readonly owed: Money;
    readonly unaccounted: Money;
  } | null;
  readonly open_jobs: { readonly count: number; readonly amount: Money };
  readonly solvent: boolean;
  readonly as_of_block: number | null;
}

/** The treasury page: balances, solvency and recent flows. */
export function TreasuryPage(): JSX.Element {
  const read = useRead<BalanceReport>('/a2a/treasury/balances');
  return (
    <div class="trust-page">
      <div class="page-head">
        <h1>Treasury</h1>
        {read.value?.as_of_block == null ? null : (
          <span class="muted">live, as of block {read.value.as_of_block}</span>
        )}
      </div>
      <ReadView read={read} what="balances">
        {(told) => (
          <>
            <Solvency told={told} />
            <Balances told={told} />
          </>
        )}
      </ReadView>
      <Flows />
    </div>
  );
}

interface BalanceProps {
  readonly told: BalanceReport;
}

function Solvency({ told }: BalanceProps): JSX.Element {
  const { open_jobs: jobs, escrow, solvent } = told;
  const held = escrow === null ? '$0.00' : `$${escrow.balance.amount}`;
  return (
    <div class={`verdict ${solvent ? 'is-good' : 'is-bad'}`} data-solvent={solvent}>
      <p class="verdict-title">{solvent ? 'Solvent' : 'Not solvent'}</p>
      <p>
        {formatCount(jobs.count, 'open job')} need{jobs.count === 1 ? 's' : ''} $
        {jobs.amount.amount}; the escrow contract holds {held}.
      </p>
    </div>
  );
}

function Balances({ told }: BalanceProps): JSX.Element {
  const { treasury, escrow } = told;
  return (
    <section class="panel" aria-labelledby="treasury-balances">
      <h2 id="treasury-balances">Balances</h2>
      <FactList
        facts={[
          ['Treasury', <Dollars key="treasury" of={treasury.balance} />],
          ['Treasury address', <ShortName key="account" name={treasury.address} />],
          ['Escrow', escrow && <Dollars key="escrow" of={escrow.balance} />],
          ['Held for open jobs', escrow && <Dollars key="held" of={escrow.held} />],
          ['Owed, not withdrawn', escrow && <Dollars key="owed" of={escrow.owed} />],
          ['Unaccounted', escrow && <Dollars key="unaccounted" of={escrow.unaccounted} />],
          ['Escrow address', escrow && <ShortName key="contract" name={escrow.address} />],
          ['Token', <ShortName key="token" name={told.token} />],
          ['Chain', told.chain],
        ]}
      />
    </section>
  );
}

/** Number of newest events searched for flows. */
const EVENTS_READ = 100;
const FLOW_LABELS: Readonly<Record<string, string>> = {
  'settlement.settled': 'call paid',
  'settlement.refunded': 'call refunded',
  'job.escrowed': 'job funded',
  'job.released': 'job released',
  'job.refunded': 'job refunded',
};

interface EventListPage {
  readonly events: readonly PublicEvent[];
  readonly size: number;
}

function Flows(): JSX.Element {
  const read = useNewestEvents();
  return (
    <section class="panel" aria-labelledby="treasury-flows">
      <h2 id="treasury-flows">Recent flows</h2>
      <ReadView read={read} what="flows">
        {({ events }) => {
          const flows = events.filter(({ type }) => type in FLOW_LABELS).reverse();
          if (flows.length === 0) {
            return (
              <EmptyState title="No recent flows">
                <p>Paid calls and jobs from the public event feed appear here.</p>
              </EmptyState>
            );
          }
          return (
            <WideTable label="Recent flows" heads={['Time', 'Flow', 'Amount', 'Fee', 'Reference']}>
              {flows.map((event) => (
                <Flow key={event.seq} event={event} />
              ))}
            </WideTable>
          );
        }}
      </ReadView>
    </section>
  );
}

/** Reads the newest events: the first read returns the feed's size, the next one its end. */
function useNewestEvents(): PolledRead<EventListPage> {
  const [from, setFrom] = useState(0);
  const read = useRead<EventListPage>(`/v1/events?from=${from}&limit=${EVENTS_READ}`);
  const size = read.value?.size ?? 0;
  useEffect(() => {
    // Advance in large steps, so that not every event causes a second read.
    const start = Math.max(0, size - EVENTS_READ);
    if (start - from >= EVENTS_READ / 2) setFrom(start);
  }, [size, from]);
  return read;
}

function Flow({ event }: { readonly event: PublicEvent }): JSX.Element {
  const { type, at, ref, data } = event;
  const amount = data['price'] ?? data['amount'];
  const { fee } = data;
  return (
    <tr>
      <td>
        <Timestamp at={at} />
      </td>
      <th scope="row">{FLOW_LABELS[type]}</th>
      <td class="number">{typeof amount === 'string' ? formatMicroUsd(amount) : ''}</td>
      <td class="number">{typeof fee === 'string' ? formatMicroUsd(fee) : ''}</td>
      <td>
        <ShortName name={ref} />
      </td>
    </tr>
  );
}
