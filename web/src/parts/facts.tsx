import type { ComponentChildren, JSX } from 'preact';
import type { Money } from '../../../src/domain/common/money.ts';
import { RelativeTime } from './times.tsx';

const HEAD_CHARS = 8;
const TAIL_CHARS = 6;

/** A name shortened in the middle; the tooltip has the full name. */
export function ShortName({ name }: { readonly name: string }): JSX.Element {
  const isShort = name.length <= HEAD_CHARS + TAIL_CHARS + 1;
  return (
    <bdi class="mono" title={name}>
      {isShort ? name : `${name.slice(0, HEAD_CHARS)}…${name.slice(-TAIL_CHARS)}`}
    </bdi>
  );
}

/** A dollar amount. */
export function Dollars({ of }: { readonly of: Pick<Money, 'amount'> }): JSX.Element {
  return <span class="number">${of.amount}</span>;
}

/** A relative time from an RFC 3339 timestamp. */
export function Timestamp({ at }: { readonly at: string }): JSX.Element {
  return <RelativeTime at={Date.parse(at)} />;
}

/** A list of names and values; omits `null` values. */
export function FactList({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren | null])[];
}): JSX.Element {
  return (
    <dl class="fact-list">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** A table that scrolls horizontally if it is wider than the page. */
export function WideTable({
  label,
  heads,
  children,
}: {
  readonly label: string;
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label={label}>
      <table class="data">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
