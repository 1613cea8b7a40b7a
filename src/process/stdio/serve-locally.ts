import type { ToolService } from '../../domain/tool/tool.ts';
import { searchTools } from '../../tools/service/search/search-tools.ts';
import { selectTools } from '../../tools/service/select-tools.ts';
import type { Front } from '../../transport/front/front.ts';
import { type HostingServer, requireHosting } from '../hosting/hosting-tools.ts';
import { type OwnPassport, withPassport } from '../passport/own-passport.ts';
import type { ServerServices } from '../server/services.ts';
import { serveLocalClients } from './local-server.ts';

/** Serves stdio clients. A daemon that they started exits after the last one, once it is idle. */
export function serveLocally(
  services: Pick<ServerServices, 'config' | 'engine' | 'lock' | 'shutdown' | 'token'>,
  servers: { readonly commerce: ToolService; readonly hosted: HostingServer | undefined },
  gate: Front['gate'],
  passport: OwnPassport,
): void {
  const { config, engine, lock, shutdown, token } = services;
  const { commerce, hosted } = servers;
  const clients = serveLocalClients(lock, token, (wish) => {
    const { server, toolsets, readOnly = false, search = false, passportId } = wish;
    const wishes = { ...(toolsets === undefined ? {} : { toolsets }), isReadOnly: readOnly };
    const offered = server === 'hosting' ? requireHosting(hosted).hosting : commerce;
    const chosen = withPassport(selectTools(offered, wishes), passport, passportId);
    const selected = search ? searchTools(chosen) : chosen;
    return async (streams) => {
      // Loaded for the first client: it uses the SDK, which takes time to load.
      const { serveStreams } = await import('../../transport/mcp/stdio.ts');
      const workspaces = server === 'hosting' ? hosted?.workspaces : undefined;
      return serveStreams(selected, streams, gate, workspaces);
    };
  });
  if (!config.untilIdle) return;
  const stopWhenIdle = (): void => {
    if (clients.count() > 0) return;
    const { runningEffects, nextDue } = engine.stats();
    if (runningEffects === 0 && nextDue === undefined) shutdown.trigger(undefined);
  };
  clients.onLastGone(stopWhenIdle);
  setInterval(stopWhenIdle, IDLE_CHECK_MS).unref();
}

/** Interval between idle checks of a daemon. Also its patience with the first client. */
const IDLE_CHECK_MS = 10_000;
