import type { JSX } from 'preact';
import type { HostedDatabase, HostingOverview } from '../../../src/domain/inspect/hosting.ts';
import { FactList, ShortName, Timestamp } from '../parts/facts.tsx';
import { ReadView } from '../reads/read-view.tsx';
import { useRead } from '../reads/use-read.ts';
import { consoleUrl } from '../shell/router.ts';
import { AllowList } from './allow-list.tsx';
import { HostedTabs } from './hosted-tabs.tsx';
import { DatabaseState, formatWireName } from './hosting-format.tsx';
import { databaseUrl, hostingUrl } from './hosting-url.ts';
import { LogView } from './log-view.tsx';
import { MetricView } from './metric-view.tsx';

const PARTS = [
  [undefined, 'Overview'],
  ['logs', 'Logs'],
  ['metrics', 'Metrics'],
] as const;

/** The page of one database: state, allowlist, logs and metrics. */
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
