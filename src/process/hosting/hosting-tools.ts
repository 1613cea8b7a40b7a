import { AppError } from '../../domain/common/error.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import type { Grant, ToolService } from '../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../../tools/hosting/hosting-tool.ts';
import { enforceGrants } from '../../tools/service/enforce-grants.ts';
import { hostingTools } from '../../tools/service/hosting-catalog.ts';
import { interceptCalls } from '../../tools/service/intercept-calls.ts';
import { selectTools } from '../../tools/service/select-tools.ts';
import { createToolService, type ToolServiceOptions } from '../../tools/service/service.ts';
import { LastWorkspaces } from '../../transport/mcp/session/last-workspaces.ts';
import { VERSION } from '../../version.ts';
import type { ServerServices } from '../server/services.ts';
import { stackOrMessage } from '../server/startup-error.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { openGrants } from './hosting-tokens.ts';

const INSTRUCTIONS = [
  'Creates and runs web services, static sites, cron jobs, Postgres and Key Value on this host.',
  'Reads their deploys, events, logs, metrics and (read-only) SQL. Call list_workspaces first, ask',
  'the user which workspace to use, and pass it as workspaceId on each call. After a create or',
  'trigger_deploy, call get_deploy until the deploy is live or has failed. get_deploy and',
  'list_events give the reason of a failure; list_logs has the output of builds and programs.',
].join(' ');

/**
 * Creates the hosting server over a provider, without a transport. `onInternalError` receives
 * internal errors, whose details the caller does not see.
 */
export function createHostingServer({
  onInternalError,
  ...deps
}: HostingToolDeps & Pick<ToolServiceOptions, 'onInternalError'>): ToolService {
  const service = createToolService({
    server: 'hosting',
    title: 'Stoa hosting',
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: hostingTools(deps),
    ...(onInternalError === undefined ? {} : { onInternalError }),
  });
  return interceptCalls(service, [enforceGrants]);
}

/** The hosting server with its grants and workspaces. */
export interface HostingServer {
  readonly hosting: ToolService;
  readonly grantOf: (token: string) => Grant | undefined;
  readonly workspaces: LastWorkspaces;
}

/** Creates the hosting server of a process if it has a provider. */
export function openHostingServer(
  services: Pick<ServerServices, 'clock' | 'config' | 'notice'> & {
    readonly telemetry: Pick<Telemetry, 'interceptors'>;
  },
  provider: HostingProvider | undefined,
): HostingServer | undefined {
  const { config, clock, telemetry, notice } = services;
  if (provider === undefined) return undefined;
  const whole = createHostingServer({
    provider,
    clock,
    isHosted: config.hosted,
    onInternalError: (error, tool) => notice(`${tool}: ${stackOrMessage(error)}`),
  });
  const offered = selectTools(whole, { isReadOnly: config.readOnly }, () => READ_ONLY_HINT);
  return {
    hosting: interceptCalls(offered, telemetry.interceptors),
    grantOf: openGrants(config.dataDir, notice),
    workspaces: new LastWorkspaces(),
  };
}

const READ_ONLY_HINT = 'this server is read-only';

/** @throws {AppError} `NOT_CONFIGURED` when a client requests hosting without a provider. */
export function requireHosting(server: HostingServer | undefined): HostingServer {
  if (server !== undefined) return server;
  throw new AppError('NOT_CONFIGURED', {
    message: 'No hosting provider is configured.',
    data: { server: 'hosting' },
  });
}
