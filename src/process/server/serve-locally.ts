import type { Config } from '../../config.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { selectTools } from '../../tools/service/select-tools.ts';
import type { Front } from '../../transport/front/front.ts';
import { type HostingServer, requireHosting } from '../hosting/hosting-tools.ts';
import { type OwnPassport, withPassport } from '../passport/own-passport.ts';
import type { Shutdown } from './closers.ts';
import type { DataLock } from './data-lock.ts';
import { serveLocalClients } from './local-server.ts';
import type { OperatorToken } from './token-file.ts';

/** The dependencies of the local server. */
export interface LocalDeps {
  readonly config: Config;
  readonly lock: DataLock;
  readonly token: OperatorToken;
  readonly commerce: ToolService;
  readonly hosted: HostingServer | undefined;
  readonly gate: Front['gate'];
  readonly engine: ActorEngine;
  readonly shutdown: Shutdown;
  readonly passport: OwnPassport;
}

/** Serves stdio clients. A daemon that they started exits after the last one, once it is idle. */
export function serveLocally(parts: LocalDeps): void {
  const { config, lock, token, commerce, hosted, gate, engine, shutdown, passport } = parts;
  const clients = serveLocalClients(lock, token, (wish) => {
    const { server, toolsets, readOnly = false, passportId } = wish;
    const wishes = { ...(toolsets === undefined ? {} : { toolsets }), isReadOnly: readOnly };
    const offered = server === 'hosting' ? requireHosting(hosted).hosting : commerce;
    const selected = withPassport(selectTools(offered, wishes), passport, passportId);
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
