import type { JSX } from 'preact';
import type { EffectLoad } from '../../../src/domain/inspect/wire.ts';
import { formatMilliseconds, formatNumber } from './number-format.ts';

/** Effects by provider since the start; the bar shows attempts relative to the largest. */
export function EffectTable({ effects }: { readonly effects: readonly EffectLoad[] }): JSX.Element {
  const rows = [...effects].sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
  const most = Math.max(1, ...rows.map(countAttempts));
  return (
    <section class="panel runtime-wide" aria-labelledby="runtime-effects">
      <h2 id="runtime-effects">Effects by provider</h2>
      {rows.length === 0 ? (
        <p class="runtime-none">No effects since the start.</p>
      ) : (
        <div class="runtime-scroll" tabIndex={0} role="region" aria-label="Effects by provider">
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
              {rows.map((row) => (
                <tr key={keyOf(row)}>
                  <th scope="row">{row.provider}</th>
                  <td>{`${row.kind}.${row.src}`}</td>
                  <td class="is-number">{formatNumber(row.running)}</td>
                  <td class="is-number">
                    <meter
                      class="runtime-bar"
                      min={0}
                      max={most}
                      value={countAttempts(row)}
                      aria-hidden
                    />
                    {formatNumber(row.done)}
                  </td>
                  <td class="is-number">{formatNumber(row.failed)}</td>
                  <td class="is-number">{formatNumber(row.retried)}</td>
                  <td class="is-number">{formatMilliseconds(row.p50Ms)}</td>
                  <td class="is-number">{formatMilliseconds(row.p99Ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const COLUMNS = ['Provider', 'Effect', 'Running', 'Done', 'Failed', 'Retried', 'p50', 'p99'];

const NUMERIC_COLUMNS = new Set(['Running', 'Done', 'Failed', 'Retried', 'p50', 'p99']);

function countAttempts({ done, failed }: EffectLoad): number {
  return done + failed;
}

function keyOf({ provider, kind, src }: EffectLoad): string {
  return `${provider} ${kind}.${src}`;
}
