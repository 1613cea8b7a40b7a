import type { Config } from '../../config.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import type { Grant, ToolService } from '../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../../tools/hosting/deps.ts';
import { holdToGrants } from '../../tools/service/granted.ts';
import { hostingTools } from '../../tools/service/hosting-catalog.ts';
import { selectTools } from '../../tools/service/select-tools.ts';
import { createToolService } from '../../tools/service/service.ts';
import type { HostingApiParts } from '../../transport/hosting/hosting-api.ts';
import { LastWorkspaces } from '../../transport/mcp/session/last-workspaces.ts';
import { VERSION } from '../../version.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { openTokens } from './hosting-tokens.ts';

/** What the hosting server is made from. */
export interface HostingServerParts extends HostingToolDeps {
  /** Told of failures of ours, whose detail the caller does not get. */
  readonly onFault?: (error: AppError, tool: string) => void;
}

const INSTRUCTIONS = [
  'Creates and runs web services, static sites, cron jobs, Postgres and Key Value on this host, ' +
    'and',
  'reads their deploys, events, logs, metrics and, read-only, SQL. Call list_workspaces first, ask',
  'the user which workspace is meant, and pass it as workspaceId on each call. After a create or a',
  'trigger_deploy read get_deploy until it is live or has failed; why it failed stands there and ' +
    'in',
  'list_events, what a build or a program printed in list_logs.',
].join(' ');

/** The hosting server over a provider, without a transport. */
export function hostingServer({ onFault, ...deps }: HostingServerParts): ToolService {
  const service = createToolService({
    server: 'hosting',
    title: 'Stoa hosting',
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: hostingTools(deps),
    ...(onFault === undefined ? {} : { onFault }),
  });
  return holdToGrants(service);
}

/** The hosting server as the front and local clients get it. */
export interface HostingServer {
  readonly hosting: ToolService;
  /** The operations of the provider, for other hosts. */
  readonly hostingApi: HostingApiParts;
  readonly grantOf: (token: string) => Grant | undefined;
  readonly workspaces: LastWorkspaces;
}

/** What a hosting server stands on in a process. */
export interface HostingParts {
  /** Absent where nothing is hosted: then there is no server either, and no tool is listed. */
  readonly provider: HostingProvider | undefined;
  readonly config: Config;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'traced'>;
  readonly notice: (line: string) => void;
}

/** Opens the hosting server of a process, where it has a provider. */
export function openHostingServer(parts: HostingParts): HostingServer | undefined {
  const { provider, config, clock, telemetry, notice } = parts;
  if (provider === undefined) return undefined;
  const onFault = (error: AppError, tool: string): void => {
    const { cause, message } = error;
    notice(`${tool}: ${cause instanceof Error ? (cause.stack ?? cause.message) : message}`);
  };
  const whole = hostingServer({ provider, clock, onFault, isHosted: config.hosted });
  const offered = selectTools(whole, { isReadOnly: config.readOnly }, () => NOT_OFFERED);
  return {
    hosting: telemetry.traced(offered),
    hostingApi: { provider, clock, isReadOnly: config.readOnly, onFault },
    grantOf: openTokens(config.dataDir, notice),
    workspaces: new LastWorkspaces(),
  };
}

const NOT_OFFERED = 'the operator offers only tools that read here';

/** @throws {AppError} `NOT_CONFIGURED` where a client asks for a server that there is not. */
export function mustHost(server: HostingServer | undefined): HostingServer {
  if (server !== undefined) return server;
  throw new AppError('NOT_CONFIGURED', {
    message: 'This server hosts nothing: no hosting provider is configured.',
    data: { server: 'hosting' },
  });
}
