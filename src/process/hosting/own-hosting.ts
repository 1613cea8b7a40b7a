import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { AppError } from '../../domain/common/error.ts';
import { consolePageUrl } from '../../domain/hosting/console-pages.ts';
import { deriveId } from '../../domain/hosting/derive-id.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import type { Workspace } from '../../domain/hosting/records.ts';
import {
  assertIsolated,
  describeIsolation,
  detectIsolation,
} from '../../providers/hosting/local/isolation.ts';
import { HOST_DOMAIN } from '../../providers/hosting/local/local-host.ts';
import type { LocalHostingSettings } from '../../providers/hosting/settings.ts';
import { ROUTER_FILES } from '../../router/router-files.ts';
import type { EngineSetup } from '../../runtime/engine/engine.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import type { Closers } from '../server/closers.ts';
import type { PublicOrigin } from '../server/public-origin.ts';
import { createSealer } from '../server/sealer.ts';
import { HOSTING_KEY_FILE, openKey } from '../server/secret-key.ts';
import type { Stores } from '../server/stores.ts';
import { systemRandom } from '../server/system.ts';
import { openHostingRouter } from './hosting-router.ts';
import { openLocalHosting } from './local-hosting.ts';
import { RequestReader } from './request-reader.ts';

/** Returns the hosting folders of a data directory. */
export function hostingFolders(dataDir: string) {
  const folder = join(dataDir, 'hosting');
  return { folder, router: join(folder, 'router'), runs: join(folder, 'local', 'runs') };
}

/** The dependencies of the server's own hosting. */
export interface OwnHostingDeps {
  readonly config: Config;
  readonly store: Pick<Stores, 'hosted'>;
  readonly clock: RuntimeClock;
  /** The server's public origin, for links to its console. */
  readonly origin: PublicOrigin;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/**
 * Opens the configured hosting, or returns `undefined` if none is configured. Takes over running
 * programs. Closing disconnects: programs and the router continue.
 *
 * @throws {AppError} `NOT_CONFIGURED` with what the machine lacks, `CONFIG_INVALID`.
 */
export async function openOwnHosting(
  setup: EngineSetup,
  parts: OwnHostingDeps,
  closers: Closers,
): Promise<HostingProvider | undefined> {
  const { config, store, clock, notice, origin } = parts;
  const { dataDir, hosting: settings } = config;
  const { hosted } = store;
  if (settings === undefined || hosted === undefined) return undefined;
  const { sources, sharedSources, trustsRepositories, reach, routerPort: port } = settings;
  rejectMissingSources(settings);
  if (!trustsRepositories) assertIsolated(detectIsolation(process.env));
  const { folder, router: routerFolder } = hostingFolders(dataDir);
  const router = await openHostingRouter({ folder: routerFolder, port, notice });
  closers.add(() => router.close());
  const running = await openLocalHosting(setup, {
    ...hosted,
    folder,
    clock,
    notice,
    router,
    trustsRepositories,
    reach,
    ...(sources === undefined ? {} : { sources: { folder: sources, shared: sharedSources } }),
    sealer: createSealer(openKey(dataDir, HOSTING_KEY_FILE)),
    random: systemRandom,
    workspaces: toWorkspaces(settings, config.operatorContact ?? ''),
    urlOf: (slug) => `http://${slug}.${HOST_DOMAIN}:${router.port}`,
    pageOf: (id) => consolePageUrl(origin.current(), id),
    env: process.env,
  });
  notice(describeIsolation(running.isolation));
  router.onReplaced(() => void running.refreshRoutes().catch(() => undefined));
  const spool = join(routerFolder, ROUTER_FILES.spool);
  const { served } = running;
  const reader = new RequestReader({ ...hosted, folder: spool, served, clock, notice });
  closers.add(() => reader.stop());
  closers.add(() => running.stop());
  return running.provider;
}

/** Derives the id from the name, so that a workspace keeps it across restarts. */
function toWorkspaces(
  { workspaces }: Pick<LocalHostingSettings, 'workspaces'>,
  email: string,
): readonly Workspace[] {
  return workspaces.map((name) => ({
    id: deriveId('workspace', `workspace ${name}`),
    name,
    email,
    type: 'team' as const,
  }));
}

function rejectMissingSources({ sources }: LocalHostingSettings): void {
  if (sources === undefined || existsSync(sources)) return;
  throw new AppError('CONFIG_INVALID', {
    message: 'The folder in `STOA_HOSTING_SOURCES` does not exist.',
    data: { name: 'STOA_HOSTING_SOURCES', received: sources, allowed: 'an existing folder' },
  });
}
