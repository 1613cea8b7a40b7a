import type { JSX } from 'preact';
import type { Json, JsonObject } from '../../../src/domain/common/json.ts';
import type {
  Deploy,
  DeployStatus,
  FailureReason,
  Service,
} from '../../../src/domain/hosting/records.ts';

const VALUE_CHARS_MAX = 200;
const TYPES: Readonly<Record<Service['type'], string>> = {
  web_service: 'Web service',
  static_site: 'Static site',
  cron_job: 'Cron job',
};

/** Returns the display name of a service type. */
export function formatServiceType(type: Service['type']): string {
  return TYPES[type];
}

/** Formats a wire name as words: underscores become spaces. */
export function formatWireName(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Formats the reasons of a failure, without a final period; `null` if there are none. */
export function formatFailureReason(reason: FailureReason | undefined): string | null {
  if (reason === undefined) return null;
  const { nonZeroExit, oomKilled, unhealthy, timedOut, evicted, missing } = reason;
  const words = [
    ...(reason.earlyExit === true ? ['exited early'] : []),
    ...(nonZeroExit === undefined ? [] : [`exited with code ${nonZeroExit}`]),
    ...(oomKilled === undefined
      ? []
      : [`killed at its memory limit of ${oomKilled.memoryLimitMib} MiB`]),
    ...(unhealthy === undefined ? [] : [`failed its health check: ${unhealthy}`]),
    ...(timedOut === undefined ? [] : [`${timedOut.what} took longer than ${timedOut.seconds} s`]),
    ...(evicted === undefined ? [] : [`evicted by the host: ${evicted}`]),
    ...(missing === undefined ? [] : [`missing on the host: ${missing}`]),
  ];
  return words.length === 0 ? null : words.join('; ');
}

/** Formats the details of an event as one line. */
export function formatEventDetails(details: JsonObject): string {
  return Object.entries(details)
    .map(([name, value]) => {
      if (name === 'reason') return formatFailureReason(value as FailureReason) ?? '';
      return `${formatFieldName(name)} ${formatValue(value)}`;
    })
    .filter((words) => words !== '')
    .join(', ');
}

function formatFieldName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function formatValue(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= VALUE_CHARS_MAX ? text : `${text.slice(0, VALUE_CHARS_MAX)}…`;
}

/** Returns true if a deploy has not finished. */
export function isInProgress({ status }: Pick<Deploy, 'status'>): boolean {
  return /progress|created|queued/.test(status);
}

/** The status of a deploy as a pill. */
export function DeployState({ status }: { readonly status: DeployStatus }): JSX.Element {
  return (
    <span class={`state-pill ${stateClass(status)}`} data-deploy={status}>
      {formatWireName(status)}
    </span>
  );
}

/** The status of a service as a pill: suspended, or the status of its latest deploy. */
export function ServiceState({
  service,
  deploy,
}: {
  readonly service: Service;
  readonly deploy: Deploy | null;
}): JSX.Element {
  if (service.suspended === 'suspended') {
    return <span class="state-pill is-stopped">suspended</span>;
  }
  if (deploy === null) return <span class="state-pill">no deploy yet</span>;
  return <DeployState status={deploy.status} />;
}

/** The status of a database as a pill. */
export function DatabaseState({ status }: { readonly status: string }): JSX.Element {
  const isBad = /unavailable|failed/.test(status);
  const look = status === 'available' ? 'is-done' : isBad ? 'is-error' : 'is-active';
  return <span class={`state-pill ${look}`}>{formatWireName(status)}</span>;
}

function stateClass(status: DeployStatus): string {
  if (status === 'live') return 'is-done';
  if (status.endsWith('failed')) return 'is-error';
  if (status === 'canceled') return 'is-stopped';
  return isInProgress({ status }) ? 'is-active' : '';
}

/** A link to a web URL; URLs of other schemes stay text. */
export function ExternalLink({ url }: { readonly url: string }): JSX.Element {
  const isWeb = /^https?:\/\//i.test(url);
  if (!isWeb) return <bdi class="mono">{url}</bdi>;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      <bdi>{url}</bdi>
    </a>
  );
}
