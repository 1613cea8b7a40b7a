import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ActorPoint } from '../../../src/domain/inspect/wire.ts';
import { errorMessage } from '../connection/request-error.ts';
import type { ActorModel } from './actor-model.ts';
import { compare, DIFFERENCES_MAX, type Difference } from './compare.ts';
import { formatCount } from './format.ts';
import { ValueTree } from './value-tree.tsx';

type ComparisonState =
  | { readonly name: 'waiting' }
  | { readonly name: 'there'; readonly from: ActorPoint; readonly to: ActorPoint }
  | { readonly name: 'refused'; readonly words: string };

/** The differences in the context between the two marked rows. */
export function DifferencePanel({ model }: { readonly model: ActorModel }): JSX.Element | null {
  const { from, to } = model.marks.value;
  const [state, setState] = useState<ComparisonState>({ name: 'waiting' });
  useEffect(() => {
    if (from === null || to === null) return undefined;
    let isNewest = true;
    setState({ name: 'waiting' });
    Promise.all([model.points.at(from), model.points.at(to)]).then(
      ([one, two]) => isNewest && setState({ name: 'there', from: one, to: two }),
      (thrown: unknown) => isNewest && setState({ name: 'refused', words: errorMessage(thrown) }),
    );
    return () => {
      isNewest = false;
    };
  }, [model, from, to]);
  if (from === null && to === null) return null;
  return (
    <section class="difference" aria-labelledby="difference-title">
      <div class="section-head">
        <h2 id="difference-title">
          Context, row {from ?? '…'} (A) to row {to ?? '…'} (B)
        </h2>
        <button
          type="button"
          class="button is-small"
          onClick={() => {
            model.mark('from', null);
            model.mark('to', null);
          }}
        >
          Clear
        </button>
      </div>
      {from === null || to === null ? (
        <p class="quiet">
          Select the other row: press “{from === null ? 'A' : 'B'}” at a row of the journal.
        </p>
      ) : (
        <Result state={state} />
      )}
    </section>
  );
}

function Result({ state }: { readonly state: ComparisonState }): JSX.Element {
  if (state.name === 'waiting') return <p class="quiet">Loading both rows …</p>;
  if (state.name === 'refused') return <p class="reason">{state.words}</p>;
  const found = compare(state.from.context, state.to.context);
  if (found.length === 0) return <p class="quiet">No visible differences.</p>;
  return (
    <>
      <p class="quiet">
        {formatCount(found.length, 'difference')}
        {found.length >= DIFFERENCES_MAX ? '; further ones are not listed' : ''}
      </p>
      <ul class="differences">
        {found.map((one) => (
          <DifferenceLine key={one.path} one={one} />
        ))}
      </ul>
    </>
  );
}

const KIND_SYMBOLS = { added: '+', removed: '−', changed: '≠' } as const;

function DifferenceLine({ one }: { readonly one: Difference }): JSX.Element {
  return (
    <li class={`difference-one is-${one.kind}`} data-path={one.path}>
      <span class="difference-kind">
        <span aria-hidden="true">{KIND_SYMBOLS[one.kind]}</span>
        <span class="visually-hidden">{one.kind}</span>
      </span>
      <code class="difference-path">{one.path}</code>
      <span class="difference-values">
        {one.before === undefined ? null : (
          <del>
            <ValueTree value={one.before} depth={1} />
          </del>
        )}
        {one.after === undefined ? null : (
          <ins>
            <ValueTree value={one.after} depth={1} />
          </ins>
        )}
      </span>
    </li>
  );
}
