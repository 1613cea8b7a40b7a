import type { JSX } from 'preact';
import { Timestamp, WideTable } from '../../parts/facts.tsx';
import { ReadView } from '../../reads/read-view.tsx';
import { useRead } from '../../reads/use-read.ts';
import { consoleUrl } from '../../shell/router.ts';
import './trust.css';

interface ControlView {
  readonly id: string;
  readonly title: string;
  readonly stage: string;
  readonly label: 'LIVE' | 'SHADOW' | 'OFF';
  readonly acts: boolean;
  readonly statement: string;
  readonly price: 'free' | { readonly amount: string } | null;
  readonly tools: readonly string[];
  readonly http: readonly string[];
  readonly change: { readonly who: string; readonly why: string; readonly at: string } | null;
}

interface ControlCatalog {
  readonly pack_date: string;
  readonly limits: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly controls: readonly ControlView[];
}

/** The catalog of controls: labels, current effect and last change. */
export function ControlsPage(): JSX.Element {
  const read = useRead<ControlCatalog>('/a2a/controls');
  return (
    <div class="trust-page">
      <div class="page-head">
        <h1>Controls</h1>
        {read.value === null ? null : <span class="muted">catalog of {read.value.pack_date}</span>}
      </div>
      <ReadView read={read} what="controls">
        {(told) => (
          <>
            <section class="panel" aria-labelledby="controls-limits">
              <h2 id="controls-limits">What the controls do not do</h2>
              <ul class="limit-list">
                {told.limits.map((limit) => (
                  <li key={limit}>{limit}</li>
                ))}
              </ul>
            </section>
            <section class="panel" aria-labelledby="controls-list">
              <h2 id="controls-list">Catalog</h2>
              <p class="muted">
                {Object.entries(told.labels)
                  .map(([label, meaning]) => `${label}: ${meaning}`)
                  .join(' ')}
              </p>
              <WideTable
                label="Controls"
                heads={['Label', 'Control', 'Current effect', 'Price', 'Last change']}
              >
                {told.controls.map((control) => (
                  <ControlRow key={control.id} control={control} />
                ))}
              </WideTable>
              <p>
                To change a label, the operator runs{' '}
                <code>{'stoa control set <id> <LIVE|SHADOW|OFF> --why "…"'}</code>
              </p>
            </section>
          </>
        )}
      </ReadView>
    </div>
  );
}

function ControlRow({ control }: { readonly control: ControlView }): JSX.Element {
  const { id, title, stage, label, statement, price, tools, http, change } = control;
  return (
    <tr data-control={id}>
      <td>
        <span class={`label-pill is-${label.toLowerCase()}`}>{label}</span>
      </td>
      <th scope="row">
        <a href={consoleUrl(['actor', `control-${id}`])}>{title}</a>
        <div class="muted">{[stage, ...tools, ...http].join(' · ')}</div>
      </th>
      <td class="statement">{statement}</td>
      <td>{formatPrice(price)}</td>
      <td>
        {change === null ? (
          <span class="muted">default</span>
        ) : (
          <>
            <Timestamp at={change.at} /> by <bdi>{change.who}</bdi>
            <div class="muted">
              <bdi>{change.why}</bdi>
            </div>
          </>
        )}
      </td>
    </tr>
  );
}

function formatPrice(price: ControlView['price']): string {
  if (price === null) return 'priced elsewhere';
  return price === 'free' ? 'free' : `$${price.amount}`;
}
