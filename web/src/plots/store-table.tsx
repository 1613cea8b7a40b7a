import type { JSX } from 'preact';
import type { StoreFamily } from '../../../src/domain/inspect/wire.ts';
import { formatBytes, formatNumber, formatPercent } from './number-format.ts';

/** Share of its limit from which a key family is highlighted. */
export const HIGHLIGHT_SHARE = 0.8;

/** Size of each key family, and the share of its limit if the limit is a number. */
export function StoreTable({ store }: { readonly store: readonly StoreFamily[] }): JSX.Element {
  return (
    <section class="panel runtime-wide" aria-labelledby="runtime-store">
      <h2 id="runtime-store">Store by key family</h2>
      <div class="runtime-scroll" tabIndex={0} role="region" aria-label="Store by key family">
        <table class="data">
          <thead>
            <tr>
              {COLUMNS.map((head) => (
                <th
                  key={head}
                  scope="col"
                  class={NUMERIC_COLUMNS.has(head) ? 'is-number' : undefined}
                >
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {store.map((family) => (
              <tr key={`${family.environment}/${family.family}`}>
                <th scope="row">{`${family.environment}/${family.family}`}</th>
                <td class="is-number">{formatNumber(family.rows)}</td>
                <td class="is-number">{formatBytes(family.bytes)}</td>
                <td class="is-number">
                  <UsedShare {...family} />
                </td>
                <td>
                  <LimitText words={family.bound} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const COLUMNS = ['Family', 'Rows', 'Size', 'Used', 'Limit'];

const NUMERIC_COLUMNS = new Set(['Rows', 'Size', 'Used']);

/** Renders text between backticks as code. */
function LimitText({ words }: { readonly words: string }): JSX.Element {
  const parts = words.split('`');
  return (
    <>{parts.map((part, place) => (place % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
  );
}

function UsedShare({ used, environment, family }: StoreFamily): JSX.Element {
  if (used === null) return <span class="runtime-none">n/a</span>;
  return (
    <>
      <meter
        class="runtime-bar"
        min={0}
        max={1}
        high={HIGHLIGHT_SHARE}
        value={used}
        aria-label={`${environment}/${family}, share of its limit`}
      />
      {formatPercent(used)}
    </>
  );
}
