import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HostedDatabase, HostingOverview } from '../../../src/domain/inspect/hosting.ts';
import { ConfirmDialog } from '../journal/confirm.tsx';
import { FactList, ShortName, Timestamp } from '../parts/facts.tsx';
import { ReadView } from '../reads/read-view.tsx';
import { useRead } from '../reads/use-read.ts';
import { announce } from '../shell/announcer.tsx';
import { consoleUrl } from '../shell/router.ts';
import { AllowList } from './allow-list.tsx';
import { ConnectionStrings } from './connection-strings.tsx';
import { HostedTabs } from './hosted-tabs.tsx';
import { DatabaseState, formatWireName } from './hosting-format.tsx';
import { changeHosting, databaseUrl, hostingUrl } from './hosting-url.ts';
import { LogView } from './log-view.tsx';
import { MetricView } from './metric-view.tsx';
import { RemovalDialog } from './removal-dialog.tsx';

const PARTS = [
  [undefined, 'Overview'],
  ['logs', 'Logs'],
  ['metrics', 'Metrics'],
] as const;

/** The page of one database: state, connection strings, allowlist, logs and metrics. */
export function HostedDatabasePage({
  id,
  part,
  query,
  overview,
}: {
  readonly id: string;
  readonly part: string | undefined;
  readonly query: URLSearchParams;
  readonly overview: HostingOverview;
}): JSX.Element {
  const read = useRead<HostedDatabase>(hostingUrl(['databases', id]));
  return (
    <div class="trust-page">
      <ReadView read={read} what="database">
        {(told) => (
          <>
            <div class="page-head">
              <h1>
                <bdi>{told.database.name}</bdi>
              </h1>
              <span class="muted">{told.kind === 'postgres' ? 'Postgres' : 'Key Value'}</span>
              <DatabaseState status={told.database.status} />
              <a href={consoleUrl(['hosting'], { workspace: told.database.ownerId })}>
                All databases
              </a>
              {overview.mayChange ? <Actions told={told} changed={read.reload} /> : null}
            </div>
            <HostedTabs
              label={`Parts of ${told.database.name}`}
              tabs={PARTS.map(([name, title]) => ({
                title,
                href: databaseUrl(id, name),
                isCurrent: name === part,
              }))}
            />
            {part === 'logs' ? <LogView resource={id} query={query} /> : null}
            {part === 'metrics' ? <MetricView resource={id} query={query} /> : null}
            {part === undefined ? (
              <>
                <Facts told={told} />
                {overview.mayChange ? <ConnectionStrings id={id} /> : null}
                <AllowList
                  id={id}
                  ranges={told.database.ipAllowList}
                  mayChange={overview.mayChange}
                  changed={read.reload}
                />
              </>
            ) : null}
          </>
        )}
      </ReadView>
    </div>
  );
}

type Move = 'suspend' | 'resume';

const MOVES: Readonly<Record<Move, { readonly words: string; readonly says: string }>> = {
  suspend: {
    words: 'Suspend',
    says: 'stops the server and keeps its data on disk. A Key Value without persistence loses it.',
  },
  resume: { words: 'Resume', says: 'starts the server again at the same address.' },
};

interface ActionsProps {
  readonly told: HostedDatabase;
  changed(): void;
}

function Actions({ told: { database }, changed }: ActionsProps): JSX.Element {
  const [asked, setAsked] = useState<Move | 'remove' | null>(null);
  const { id, name, status } = database;
  const close = (): void => setAsked(null);
  const move = status === 'suspended' ? 'resume' : 'suspend';
  const run = async (): Promise<void> => {
    await changeHosting(['databases', id, 'settings'], { suspended: asked === 'suspend' });
    announce(`${MOVES[move].words}: done`);
    changed();
  };
  return (
    <fieldset class="bare actions" aria-label="Actions">
      <button type="button" class="button is-small" onClick={() => setAsked(move)}>
        {MOVES[move].words} …
      </button>
      <button type="button" class="button is-small is-danger" onClick={() => setAsked('remove')}>
        Delete …
      </button>
      {asked === null || asked === 'remove' ? null : (
        <ConfirmDialog
          title={`${MOVES[asked].words} this database?`}
          confirmLabel={MOVES[asked].words}
          run={run}
          close={close}
        >
          <p>
            <bdi>{name}</bdi>: {MOVES[asked].says}
          </p>
        </ConfirmDialog>
      )}
      {asked === 'remove' ? (
        <RemovalDialog collection="databases" resource={database} close={close} />
      ) : null}
    </fieldset>
  );
}

function Facts({ told }: { readonly told: HostedDatabase }): JSX.Element {
  const { id, version, plan, region, reason, createdAt } = told.database;
  const own: readonly (readonly [string, JSX.Element | string | number | null])[] =
    told.kind === 'postgres'
      ? [
          ['Database', <bdi key="name">{told.database.databaseName}</bdi>],
          ['User', <bdi key="user">{told.database.databaseUser}</bdi>],
          ['Disk, GB', told.database.diskSizeGB],
        ]
      : [
          ['Eviction policy', formatWireName(told.database.options.maxmemoryPolicy)],
          ['Persistence', formatWireName(told.database.options.persistenceMode)],
        ];
  return (
    <section class="panel" aria-labelledby="database-facts">
      <h2 id="database-facts">Database</h2>
      <FactList
        facts={[
          ['Reason', reason === undefined ? null : <bdi key="reason">{reason}</bdi>],
          ['Id', <ShortName key="id" name={id} />],
          ['Version', version],
          ['Plan', plan],
          ['Region', region],
          ...own,
          ['Created', <Timestamp key="created" at={createdAt} />],
        ]}
      />
    </section>
  );
}
