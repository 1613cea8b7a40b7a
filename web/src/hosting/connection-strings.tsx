import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HostedConnection } from '../../../src/domain/inspect/hosting.ts';
import { errorMessage } from '../connection/request-error.ts';
import { FactList } from '../parts/facts.tsx';
import { announce } from '../shell/announcer.tsx';
import { readConnection } from './hosting-url.ts';

/** The connection strings of a database. Nothing is read before you press the button. */
export function ConnectionStrings({ id }: { readonly id: string }): JSX.Element {
  const [shown, setShown] = useState<HostedConnection | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const show = async (): Promise<void> => {
    setFault(null);
    try {
      setShown(await readConnection(id));
      announce('Connection strings shown');
    } catch (thrown) {
      setFault(errorMessage(thrown));
    }
  };
  return (
    <section class="panel" aria-labelledby="connection-strings">
      <h2 id="connection-strings">Connection strings</h2>
      <p>They contain the password. The server’s log records that they were shown.</p>
      {shown === null ? null : (
        <FactList
          facts={[
            [
              'Programs on this host',
              <bdi key="internal" class="mono">
                {shown.internal}
              </bdi>,
            ],
            [
              'Allowed IP addresses',
              <bdi key="external" class="mono">
                {shown.external}
              </bdi>,
            ],
          ]}
        />
      )}
      {fault === null ? null : (
        <p class="form-fault" role="alert">
          {fault}
        </p>
      )}
      <button
        type="button"
        class="button"
        onClick={shown === null ? () => void show() : () => setShown(null)}
      >
        {shown === null ? 'Show connection strings' : 'Hide connection strings'}
      </button>
    </section>
  );
}
