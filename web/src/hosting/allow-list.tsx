import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AllowedRange } from '../../../src/domain/hosting/records.ts';
import { errorMessage } from '../connection/request-error.ts';
import { announce } from '../shell/announcer.tsx';
import { ReadOnlyNote } from './form-field.tsx';
import { changeHosting, rejectedField } from './hosting-url.ts';

interface AllowListProps {
  readonly id: string;
  readonly ranges: readonly AllowedRange[];
  readonly mayChange: boolean;
  changed(): void;
}

interface Row extends AllowedRange {
  readonly id: number;
}

/** The IP allowlist of a database; it is replaced as a whole. */
export function AllowList({ id, ranges, mayChange, changed }: AllowListProps): JSX.Element {
  const [rows, setRows] = useState<readonly Row[] | null>(null);
  return (
    <section class="panel" aria-labelledby="allow-list">
      <h2 id="allow-list">Allowed IP addresses</h2>
      {ranges.length === 0 ? (
        <p>None. Only programs on the same host can connect.</p>
      ) : (
        <ul class="bullet-list">
          {ranges.map(({ cidrBlock, description }) => (
            <li key={cidrBlock}>
              <code>{cidrBlock}</code> <bdi class="muted">{description}</bdi>
            </li>
          ))}
        </ul>
      )}
      {mayChange ? null : <ReadOnlyNote />}
      {mayChange && rows === null ? (
        <button
          type="button"
          class="button"
          onClick={() => setRows(ranges.map((range, at) => ({ ...range, id: at })))}
        >
          Edit the list
        </button>
      ) : null}
      {rows === null ? null : (
        <RangeForm
          id={id}
          rows={rows}
          setRows={setRows}
          done={() => {
            setRows(null);
            changed();
          }}
        />
      )}
    </section>
  );
}

interface RangeFormProps {
  readonly id: string;
  readonly rows: readonly Row[];
  readonly setRows: (rows: readonly Row[] | null) => void;
  done(): void;
}

function RangeForm({ id, rows, setRows, done }: RangeFormProps): JSX.Element {
  const [next, setNext] = useState(rows.length);
  const [error, setError] = useState<{ readonly words: string; readonly at: number } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const ranges = rows.map(({ cidrBlock, description }) => ({
        cidrBlock: cidrBlock.trim(),
        description,
      }));
      await changeHosting(['databases', id, 'allow-list'], { ranges });
      announce('List saved');
      done();
    } catch (thrown) {
      setError({ words: errorMessage(thrown), at: parseRowIndex(rejectedField(thrown)) });
      setBusy(false);
    }
  };
  const add = (): void => {
    setRows([...rows, { id: next, cidrBlock: '', description: '' }]);
    setNext(next + 1);
  };
  return (
    <form
      class="row-list"
      aria-label="New list of addresses"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p class="muted">
        IP ranges in CIDR notation, such as <code>203.0.113.7/32</code>. An empty list blocks all
        connections from outside.
      </p>
      {rows.map((row, at) => (
        <RangeRow
          key={row.id}
          row={row}
          place={at + 1}
          isWrong={error?.at === at}
          typed={(typed) => setRows(rows.map((other) => (other.id === row.id ? typed : other)))}
          remove={() => setRows(rows.filter((other) => other.id !== row.id))}
        />
      ))}
      {error === null ? null : (
        <p id="range-fault" class="form-fault" role="alert">
          {error.words}
        </p>
      )}
      <div class="toolbar">
        <button type="button" class="button" onClick={add}>
          Add a range
        </button>
        <button type="submit" class="button is-primary" disabled={isBusy}>
          Save the list
        </button>
        <button type="button" class="button" onClick={() => setRows(null)}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function RangeRow({
  row,
  place,
  isWrong,
  typed,
  remove,
}: {
  readonly row: Row;
  readonly place: number;
  readonly isWrong: boolean;
  readonly typed: (row: Row) => void;
  readonly remove: () => void;
}): JSX.Element {
  return (
    <div class="list-row">
      <input
        class="field mono"
        aria-label={`Range ${place}`}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? 'range-fault' : undefined}
        placeholder="203.0.113.7/32"
        value={row.cidrBlock}
        onInput={({ currentTarget }) => typed({ ...row, cidrBlock: currentTarget.value })}
      />
      <input
        class="field"
        aria-label={`Description of range ${place}`}
        placeholder="description"
        value={row.description}
        onInput={({ currentTarget }) => typed({ ...row, description: currentTarget.value })}
      />
      <button
        type="button"
        class="button is-small"
        aria-label={`Remove range ${place}`}
        onClick={remove}
      >
        Remove
      </button>
    </div>
  );
}

/** Returns the index of the row named by a validation error; -1 if none is named. */
function parseRowIndex(path: string | null): number {
  const at = /^ranges\.(\d+)\b/.exec(path ?? '')?.[1];
  return at === undefined ? -1 : Number(at);
}
