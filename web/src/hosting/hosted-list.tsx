import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { KeyValue, Postgres, Workspace } from '../../../src/domain/hosting/records.ts';
import type {
  HostedDatabases,
  HostedPage,
  HostedRow,
  HostingOverview,
} from '../../../src/domain/inspect/hosting.ts';
import { formatCount } from '../journal/format.ts';
import { Timestamp, WideTable } from '../parts/facts.tsx';
import { EmptyState } from '../parts/notice.tsx';
import { PageLinks } from '../reads/page-links.tsx';
import { ReadView } from '../reads/read-view.tsx';
import { useRead } from '../reads/use-read.ts';
import { consoleUrl, navigate } from '../shell/router.ts';
import {
  DatabaseState,
  ExternalLink,
  formatFailureReason,
  formatServiceType,
  ServiceState,
} from './hosting-format.tsx';
import { databaseUrl, hostingUrl, serviceUrl } from './hosting-url.ts';

/** The services and databases of one workspace. */
export function HostedList({
  overview,
  query,
}: {
  readonly overview: HostingOverview;
  readonly query: URLSearchParams;
}): JSX.Element {
  const { workspaces } = overview;
  const wanted = query.get('workspace');
  const workspace = workspaces.find(({ id }) => id === wanted) ?? workspaces[0];
  return (
    <div class="trust-page">
      <div class="page-head">
        <h1>Hosting</h1>
        <span class="muted">provider {overview.provider}</span>
        {workspace === undefined ? null : (
          <WorkspaceChoice workspaces={workspaces} chosen={workspace} />
        )}
      </div>
      {workspace === undefined ? (
        <EmptyState title="No workspaces" />
      ) : (
        <>
          <Services key={`services ${workspace.id}`} workspace={workspace.id} />
          <Databases key={`databases ${workspace.id}`} workspace={workspace.id} />
          <p class="muted">{overview.regions}</p>
        </>
      )}
    </div>
  );
}

function WorkspaceChoice({
  workspaces,
  chosen,
}: {
  readonly workspaces: readonly Workspace[];
  readonly chosen: Workspace;
}): JSX.Element {
  return (
    <label class="inline-field">
      Workspace
      <select
        class="field"
        value={chosen.id}
        onChange={({ currentTarget }) =>
          navigate(consoleUrl(['hosting'], { workspace: currentTarget.value }))
        }
      >
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface WorkspaceProps {
  readonly workspace: string;
}

function Services({ workspace }: WorkspaceProps): JSX.Element {
  const [cursor, setCursor] = useState<string | null>(null);
  const read = useRead<HostedPage<HostedRow>>(hostingUrl(['services'], { workspace, cursor }));
  return (
    <section class="panel" aria-labelledby="hosted-services">
      <h2 id="hosted-services">Services</h2>
      <ReadView read={read} what="services">
        {({ rows, cursor: next }) =>
          rows.length === 0 && cursor === null ? (
            <EmptyState title="No services yet">
              <p>
                Create one from an MCP client with <code>create_web_service</code>,{' '}
                <code>create_static_site</code> or <code>create_cron_job</code> at{' '}
                <code>{`${location.origin}/hosting/mcp`}</code>.
              </p>
            </EmptyState>
          ) : (
            <>
              <WideTable
                label="Services"
                heads={['Name', 'State', 'Type', 'Address', 'Branch', 'Latest deploy']}
              >
                {rows.map((row) => (
                  <ServiceRow key={row.service.id} row={row} />
                ))}
              </WideTable>
              <PageLinks next={next} isFirst={cursor === null} go={setCursor} words={PAGE_LABELS} />
            </>
          )
        }
      </ReadView>
    </section>
  );
}

const PAGE_LABELS = { first: 'First', next: 'Next' } as const;

function ServiceRow({ row }: { readonly row: HostedRow }): JSX.Element {
  const { service, deploy } = row;
  const { id, name, type, branch, serviceDetails } = service;
  const reason = formatFailureReason(deploy?.reason);
  return (
    <tr data-service={id}>
      <th scope="row">
        <a href={serviceUrl(id)}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td>
        <ServiceState service={service} deploy={deploy} />
      </td>
      <td>{formatServiceType(type)}</td>
      <td>{'url' in serviceDetails ? <ExternalLink url={serviceDetails.url} /> : null}</td>
      <td>
        <bdi>{branch}</bdi>
      </td>
      <td>
        {deploy === null ? null : <Timestamp at={deploy.createdAt} />}
        {reason === null ? null : (
          <div class="muted">
            <bdi>{reason}</bdi>
          </div>
        )}
      </td>
    </tr>
  );
}

function Databases({ workspace }: WorkspaceProps): JSX.Element {
  const read = useRead<HostedDatabases>(hostingUrl(['databases'], { workspace }));
  return (
    <section class="panel" aria-labelledby="hosted-databases">
      <h2 id="hosted-databases">Databases</h2>
      <ReadView read={read} what="databases">
        {({ postgres, keyValue, hasMore }) =>
          postgres.length + keyValue.length === 0 ? (
            <EmptyState title="No databases yet">
              <p>
                Create one from an MCP client with <code>create_postgres</code> or{' '}
                <code>create_key_value</code>.
              </p>
            </EmptyState>
          ) : (
            <>
              <WideTable label="Databases" heads={['Name', 'State', 'Kind', 'Plan', 'Allowed']}>
                {[...postgres, ...keyValue].map((database) => (
                  <DatabaseRow key={database.id} database={database} />
                ))}
              </WideTable>
              {hasMore ? <p class="muted">The list is not complete.</p> : null}
            </>
          )
        }
      </ReadView>
    </section>
  );
}

function DatabaseRow({ database }: { readonly database: Postgres | KeyValue }): JSX.Element {
  const { id, name, status, plan, version, ipAllowList } = database;
  const ranges = ipAllowList.length;
  return (
    <tr data-database={id}>
      <th scope="row">
        <a href={databaseUrl(id)}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td>
        <DatabaseState status={status} />
      </td>
      <td>{'databaseName' in database ? `Postgres ${version}` : version}</td>
      <td>{plan}</td>
      <td>{ranges === 0 ? 'this host only' : formatCount(ranges, 'IP range')}</td>
    </tr>
  );
}
