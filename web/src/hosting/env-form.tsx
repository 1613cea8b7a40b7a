import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../journal/confirm.tsx';
import { formatCount } from '../journal/format.ts';
import { announce } from '../shell/announcer.tsx';
import { changeHosting } from './hosting-url.ts';

interface EnvFormProps {
  readonly id: string;
  readonly names: readonly string[];
  readonly mayChange: boolean;
  changed(): void;
}

interface Row {
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

/** Names of the environment variables. They are replaced as a whole; values are never shown. */
export function EnvForm({ id, names, mayChange, changed }: EnvFormProps): JSX.Element {
  const [rows, setRows] = useState<readonly Row[] | null>(null);
  return (
    <section class="panel" aria-labelledby="service-variables">
      <h2 id="service-variables">Environment variables</h2>
      {names.length === 0 ? (
        <p class="muted">None.</p>
      ) : (
        <ul class="env-names">
          {names.map((name) => (
            <li key={name}>
              <code>{name}</code>
            </li>
          ))}
        </ul>
      )}
      <p class="muted">Values are encrypted and never shown.</p>
      {mayChange && rows === null ? (
        <button
          type="button"
          class="button"
          onClick={() => setRows(names.map((key, at) => ({ id: at, key, value: '' })))}
        >
          Replace all variables …
        </button>
      ) : null}
      {rows === null ? null : (
        <EnvRows
          id={id}
          names={names}
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

function EnvRows({
  id,
  names,
  rows,
  setRows,
  done,
}: Pick<EnvFormProps, 'id' | 'names'> & {
  readonly rows: readonly Row[];
  readonly setRows: (rows: readonly Row[] | null) => void;
  done(): void;
}): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const [next, setNext] = useState(rows.length);
  const typed = (row: Row): void =>
    setRows(rows.map((other) => (other.id === row.id ? row : other)));
  const add = (): void => {
    setRows([...rows, { id: next, key: '', value: '' }]);
    setNext(next + 1);
  };
  return (
    <form
      class="row-list"
      aria-label="New list of variables"
      onSubmit={(event) => {
        event.preventDefault();
        setAsking(true);
      }}
    >
      <p>This list replaces all variables. Enter every value, including unchanged ones.</p>
      {rows.map((row, at) => (
        <EnvRow
          key={row.id}
          row={row}
          place={at + 1}
          typed={typed}
          remove={() => setRows(rows.filter((other) => other.id !== row.id))}
        />
      ))}
      <div class="toolbar">
        <button type="button" class="button" onClick={add}>
          Add a variable
        </button>
        <button type="submit" class="button is-primary">
          Replace …
        </button>
        <button type="button" class="button" onClick={() => setRows(null)}>
          Cancel
        </button>
      </div>
      {isAsking ? (
        <EnvDialog id={id} names={names} rows={rows} done={done} close={() => setAsking(false)} />
      ) : null}
    </form>
  );
}

function EnvRow({
  row,
  place,
  typed,
  remove,
}: {
  readonly row: Row;
  readonly place: number;
  readonly typed: (row: Row) => void;
  readonly remove: () => void;
}): JSX.Element {
  return (
    <div class="list-row">
      <input
        class="field mono"
        aria-label={`Name ${place}`}
        placeholder="NAME"
        value={row.key}
        autocomplete="off"
        onInput={({ currentTarget }) => typed({ ...row, key: currentTarget.value })}
      />
      <textarea
        class="field"
        rows={1}
        aria-label={`Value ${place}`}
        placeholder="value"
        value={row.value}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => typed({ ...row, value: currentTarget.value })}
      />
      <button
        type="button"
        class="button is-small"
        aria-label={`Remove variable ${place}`}
        onClick={remove}
      >
        Remove
      </button>
    </div>
  );
}

function EnvDialog({
  id,
  names,
  rows,
  done,
  close,
}: Pick<EnvFormProps, 'id' | 'names'> & {
  readonly rows: readonly Row[];
  done(): void;
  close(): void;
}): JSX.Element {
  const gone = names.filter((name) => !rows.some(({ key }) => key === name));
  const empty = rows.filter(({ value }) => value === '').map(({ key }) => key);
  const run = async (): Promise<void> => {
    const envVars = rows.map(({ key, value }) => ({ key, value }));
    const { deployId } = await changeHosting(['services', id, 'env'], { envVars });
    announce(deployId === null ? 'Variables replaced' : `Deploy ${deployId} started`);
    done();
  };
  return (
    <ConfirmDialog title="Replace all variables?" confirmLabel="Replace" run={run} close={close}>
      <p>The service is redeployed with {formatCount(rows.length, 'variable')}.</p>
      {gone.length === 0 ? null : <p>Removed: {gone.join(', ')}.</p>}
      {empty.length === 0 ? null : <p>Empty: {empty.join(', ')}.</p>}
    </ConfirmDialog>
  );
}
