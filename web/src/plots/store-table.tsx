import type { JSX } from 'preact';
import type { StoreFamily } from '../../../src/domain/inspect/wire.ts';
import { bytes, figure, percent } from './figures.ts';

/** Share of its limit from which a key family is highlighted. */
export const NEAR_BOUND = 0.8;

/** Size of each key family, and the share of its limit if the limit is a number. */
export function StoreTable({ store }: { readonly store: readonly StoreFamily[] }): JSX.Element {
  return (
    <section class="panel runtime-wide" aria-labelledby="runtime-store">
      <h2 id="runtime-store">Store by key family</h2>
      <div class="runtime-scroll" tabIndex={0} role="region" aria-label="Store by key family">
        <table class="data">
          <thead>
            <tr>
              {HEADS.map((head) => (
                <th key={head} scope="col" class={NUMBERS.has(head) ? 'is-number' : undefined}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {store.map((family) => (
              <tr key={`${family.environment}/${family.family}`}>
                <th scope="row">{`${family.environment}/${family.family}`}</th>
                <td class="is-number">{figure(family.rows)}</td>
                <td class="is-number">{bytes(family.bytes)}</td>
                <td class="is-number">
                  <Used {...family} />
                </td>
                <td>
                  <Bound words={family.bound} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const HEADS = ['Family', 'Rows', 'Size', 'Used', 'Limit'];

const NUMBERS = new Set(['Rows', 'Size', 'Used']);

/** Renders text between backticks as code. */
function Bound({ words }: { readonly words: string }): JSX.Element {
  const parts = words.split('`');
  return (
    <>{parts.map((part, place) => (place % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
  );
}

function Used({ used, environment, family }: StoreFamily): JSX.Element {
  if (used === null) return <span class="runtime-none">n/a</span>;
  return (
    <>
      <meter
        class="runtime-bar"
        min={0}
        max={1}
        high={NEAR_BOUND}
        value={used}
        aria-label={`${environment}/${family}, share of its limit`}
      />
      {percent(used)}
    </>
  );
}
