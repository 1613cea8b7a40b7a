import type { Config } from '../../config.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import type { Grant, ToolService } from '../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../../tools/hosting/deps.ts';
import { enforceGrants } from '../../tools/service/enforce-grants.ts';
import { hostingTools } from '../../tools/service/hosting-catalog.ts';
import { selectTools } from '../../tools/service/select-tools.ts';
import { createToolService } from '../../tools/service/service.ts';
import { LastWorkspaces } from '../../transport/mcp/session/last-workspaces.ts';
import { VERSION } from '../../version.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { openGrants } from './hosting-tokens.ts';

/** The dependencies of the hosting server. */
export interface HostingServerDeps extends HostingToolDeps {
  /** Receives internal errors, whose details the caller does not see. */
  readonly onFault?: (error: AppError, tool: string) => void;
}

const INSTRUCTIONS = [
  'Creates and runs web services, static sites, cron jobs, Postgres and Key Value on this host.',
  'Reads their deploys, events, logs, metrics and (read-only) SQL. Call list_workspaces first, ask',
  'the user which workspace to use, and pass it as workspaceId on each call. After a create or',
  'trigger_deploy, call get_deploy until the deploy is live or has failed. get_deploy and',
  'list_events give the reason of a failure; list_logs has the output of builds and programs.',
].join(' ');

/** Creates the hosting server over a provider, without a transport. */
export function createHostingServer({ onFault, ...deps }: HostingServerDeps): ToolService {
  const service = createToolService({
    server: 'hosting',
    title: 'Stoa hosting',
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: hostingTools(deps),
    ...(onFault === undefined ? {} : { onInternalError: onFault }),
  });
  return enforceGrants(service);
}

/** The hosting server with its grants and workspaces. */
export interface HostingServer {
  readonly hosting: ToolService;
  readonly grantOf: (token: string) => Grant | undefined;
  readonly workspaces: LastWorkspaces;
}

/** The dependencies of a process's hosting server. */
export interface HostingDeps {
  /** Absent when nothing is hosted. There is then no server, and no tool is listed. */
  readonly provider: HostingProvider | undefined;
  readonly config: Config;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'traced'>;
  readonly notice: (line: string) => void;
}

/** Creates the hosting server of a process if it has a provider. */
export function openHostingServer(parts: HostingDeps): HostingServer | undefined {
  const { provider, config, clock, telemetry, notice } = parts;
  if (provider === undefined) return undefined;
  const onFault = (error: AppError, tool: string): void => {
    const { cause, message } = error;
    notice(`${tool}: ${cause instanceof Error ? (cause.stack ?? cause.message) : message}`);
  };
  const whole = createHostingServer({ provider, clock, onFault, isHosted: config.hosted });
  const offered = selectTools(whole, { isReadOnly: config.readOnly }, () => READ_ONLY_HINT);
  return {
    hosting: telemetry.traced(offered),
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
