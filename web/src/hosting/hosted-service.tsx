import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HostedService, HostingOverview } from '../../../src/domain/inspect/hosting.ts';
import { ConfirmDialog } from '../journal/confirm.tsx';
import { FactList, ShortName, Timestamp } from '../parts/facts.tsx';
import { ReadView } from '../reads/read-view.tsx';
import { useRead } from '../reads/use-read.ts';
import { announce } from '../shell/announcer.tsx';
import { consoleUrl } from '../shell/router.ts';
import { DeployTable } from './deploy-table.tsx';
import { EnvForm } from './env-form.tsx';
import { EventList } from './event-list.tsx';
import { HostedTabs } from './hosted-tabs.tsx';
import { ExternalLink, formatServiceType, ServiceState } from './hosting-format.tsx';
import { changeHosting, hostingUrl, POLL_MS, serviceUrl } from './hosting-url.ts';
import { LogView } from './log-view.tsx';
import { MetricView } from './metric-view.tsx';
import { RemovalDialog } from './removal-dialog.tsx';
import { SettingsForm } from './settings-form.tsx';

/** The page of one service: state, deploys, logs, metrics and settings. */
export function HostedServicePage({
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
  const read = useRead<HostedService>(hostingUrl(['services', id]), POLL_MS);
  const { mayChange } = overview;
  return (
    <div class="trust-page">
      <ReadView read={read} what="service">
        {(told) => (
          <>
            <Head data={told} mayChange={mayChange} changed={read.reload} />
            <HostedTabs
              label={`Parts of ${told.service.name}`}
              tabs={PARTS.map(([name, title]) => ({
                title,
                href: serviceUrl(id, name),
                isCurrent: name === part,
              }))}
            />
            {part === 'logs' ? <LogView resource={id} query={query} /> : null}
            {part === 'metrics' ? <MetricView resource={id} query={query} /> : null}
            {part === 'settings' ? (
              <>
                <SettingsForm service={told.service} mayChange={mayChange} changed={read.reload} />
                <EnvForm
                  id={id}
                  names={told.envVarNames}
                  mayChange={mayChange}
                  changed={read.reload}
                />
              </>
            ) : null}
            {part === undefined ? (
              <>
                <Facts told={told} />
                <DeployTable service={told.service} mayChange={mayChange} changed={read.reload} />
                <EventList id={id} />
              </>
            ) : null}
          </>
        )}
      </ReadView>
    </div>
  );
}

const PARTS = [
  [undefined, 'Overview'],
  ['logs', 'Logs'],
  ['metrics', 'Metrics'],
  ['settings', 'Settings'],
] as const;

interface HeadProps {
  readonly data: HostedService;
  readonly mayChange: boolean;
  changed(): void;
}

function Head({ data, mayChange, changed }: HeadProps): JSX.Element {
  const { service, deploy } = data;
  return (
    <div class="page-head">
      <h1>
        <bdi>{service.name}</bdi>
      </h1>
      <span class="muted">{formatServiceType(service.type)}</span>
      <ServiceState service={service} deploy={deploy} />
      <a href={consoleUrl(['hosting'], { workspace: service.ownerId })}>All services</a>
      {mayChange ? <Moves data={data} changed={changed} /> : null}
    </div>
  );
}

type Move = 'deploy' | 'restart' | 'suspend' | 'resume';

function Moves({ data, changed }: Omit<HeadProps, 'mayChange'>): JSX.Element {
  const [asked, setAsked] = useState<Move | 'remove' | null>(null);
  const { service } = data;
  const { type, suspended } = service;
  const close = (): void => setAsked(null);
  const moves: readonly Move[] =
    suspended === 'suspended'
      ? ['resume']
      : ['deploy', ...(type === 'web_service' ? (['restart'] as const) : []), 'suspend'];
  return (
    <fieldset class="bare actions" aria-label="Actions">
      {moves.map((move) => (
        <button key={move} type="button" class="button is-small" onClick={() => setAsked(move)}>
          {MOVES[move].words} …
        </button>
      ))}
      <button type="button" class="button is-small is-danger" onClick={() => setAsked('remove')}>
        Delete …
      </button>
      {asked === null || asked === 'remove' ? null : (
        <MoveDialog move={asked} data={data} changed={changed} close={close} />
      )}
      {asked === 'remove' ? (
        <RemovalDialog collection="services" resource={service} close={close} />
      ) : null}
    </fieldset>
  );
}

const MOVES: Readonly<Record<Move, { words: string; says: string; part: string; body: object }>> = {
  deploy: {
    words: 'Deploy',
    says: 'builds the newest commit of its branch and makes it live once it is healthy.',
    part: 'deploy',
    body: {},
  },
  restart: {
    words: 'Restart',
    says: 'restarts its instances with the live version.',
    part: 'restart',
    body: {},
  },
  suspend: {
    words: 'Suspend',
    says: 'stops the service until you resume it.',
    part: 'settings',
    body: { suspended: true },
  },
  resume: {
    words: 'Resume',
    says: 'deploys the service so that it responds again.',
    part: 'settings',
    body: { suspended: false },
  },
};

function MoveDialog({
  move,
  data,
  changed,
  close,
}: Omit<HeadProps, 'mayChange'> & { readonly move: Move; close(): void }): JSX.Element {
  const { words, says, part, body } = MOVES[move];
  const { id, name } = data.service;
  const [isClean, setClean] = useState(false);
  const run = async (): Promise<void> => {
    const order = move === 'deploy' ? { clearCache: isClean } : body;
    const { deployId } = await changeHosting(['services', id, part], order);
    announce(deployId === null ? `${words}: done` : `Deploy ${deployId} started`);
    changed();
  };
  return (
    <ConfirmDialog title={`${words} this service?`} confirmLabel={words} run={run} close={close}>
      <p>
        <bdi>{name}</bdi>: {says}
      </p>
      {move === 'deploy' ? (
        <label class="inline-field">
          <input
            type="checkbox"
            checked={isClean}
            onChange={({ currentTarget }) => setClean(currentTarget.checked)}
          />
          Clear the build cache
        </label>
      ) : null}
    </ConfirmDialog>
  );
}

function Facts({ told }: { readonly told: HostedService }): JSX.Element {
  const { service, envVarNames } = told;
  const { id, repo, branch, pushUrl, autoDeploy, serviceDetails: details, createdAt } = service;
  const variables = envVarNames.length === 0 ? 'none' : envVarNames.join(', ');
  return (
    <section class="panel" aria-labelledby="service-facts">
      <h2 id="service-facts">Service</h2>
      <FactList
        facts={[
          ['Address', 'url' in details ? <ExternalLink key="url" url={details.url} /> : null],
          ['Id', <ShortName key="id" name={id} />],
          ['Repository', repo === '' ? null : <bdi key="repo">{repo}</bdi>],
          ['Push to', pushUrl === undefined ? null : <bdi key="push">{pushUrl}</bdi>],
          ['Branch', <bdi key="branch">{branch}</bdi>],
          ['Auto-deploy', autoDeploy],
          ['Runtime', 'runtime' in details ? details.runtime : null],
          ['Plan', 'plan' in details ? details.plan : null],
          ['Region', 'region' in details ? details.region : null],
          ['Instances', 'numInstances' in details ? details.numInstances : null],
          ['Schedule (UTC)', 'schedule' in details ? details.schedule : null],
          [
            'Next run',
            'nextRunAt' in details ? <Timestamp key="next" at={details.nextRunAt} /> : null,
          ],
          [
            'Last successful run',
            'lastSuccessfulRunAt' in details ? (
              <Timestamp key="last" at={details.lastSuccessfulRunAt} />
            ) : null,
          ],
          ['Variables', <bdi key="variables">{variables}</bdi>],
          ['Created', <Timestamp key="created" at={createdAt} />],
        ]}
      />
    </section>
  );
}
