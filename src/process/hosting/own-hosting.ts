import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { consolePageUrl } from '../../domain/hosting/console-pages.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { deriveId } from '../../domain/hosting/ids.ts';
import type { Workspace } from '../../domain/hosting/records.ts';
import {
  assertIsolated,
  describeIsolation,
  detectIsolation,
} from '../../providers/hosting/local/isolation.ts';
import { HOST_DOMAIN } from '../../providers/hosting/local/local-host.ts';
import type { LocalHostingSettings } from '../../providers/hosting/settings.ts';
import { ROUTER_FILES } from '../../router/router-files.ts';
import { Closers } from '../server/closers.ts';
import { createSealer } from '../server/sealer.ts';
import { HOSTING_KEY_FILE, openKey } from '../server/secret-key.ts';
import type { ServerServices } from '../server/services.ts';
import { type DeferredProvider, deferProvider } from './deferred-provider.ts';
import { openHostingRouter } from './hosting-router.ts';
import { openLocalHosting } from './local-hosting.ts';
import { RequestReader } from './request-reader.ts';

/** Returns the hosting folders of a data directory. */
export function hostingFolders(dataDir: string) {
  const folder = join(dataDir, 'hosting');
  return { folder, router: join(folder, 'router'), runs: join(folder, 'local', 'runs') };
}

type HostingServices = Pick<
  ServerServices,
  'clock' | 'closers' | 'config' | 'define' | 'engine' | 'notice' | 'origin' | 'random' | 'store'
>;
/** The hosting of a server. */
export interface OpenedHosting {
  /** `undefined` if hosting is off. */
  readonly provider: HostingProvider | undefined;
  /** Returns the provider once it is open. */
  current(): HostingProvider | undefined;
}

type HostedStores = NonNullable<ServerServices['store']['hosted']>;

/**
 * Opens hosting on this machine. Takes over running programs. Closing disconnects: programs and the
 * router continue.
 *
 * @throws {AppError} `NOT_CONFIGURED` with what the machine lacks, `CONFIG_INVALID`.
 */
async function openLocal(
  services: HostingServices,
  settings: LocalHostingSettings,
  hosted: HostedStores,
): Promise<HostingProvider> {
  const { clock, config, notice, origin, random } = services;
  const { dataDir } = config;
  const { sources, sharedSources, trustsRepositories, reach, routerPort: port } = settings;
  const closers = new Closers();
  rejectMissingSources(settings);
  if (!trustsRepositories) assertIsolated(detectIsolation(process.env));
  const { folder, router: routerFolder } = hostingFolders(dataDir);
  const router = await openHostingRouter({ folder: routerFolder, port, notice });
  closers.add(() => router.close());
  const running = await openLocalHosting(services, {
    ...hosted,
    folder,
    clock,
    notice,
    router,
    trustsRepositories,
    reach,
    ...(sources === undefined ? {} : { sources: { folder: sources, shared: sharedSources } }),
    sealer: createSealer(openKey(dataDir, HOSTING_KEY_FILE)),
    random,
    workspaces: toWorkspaces(settings, config.operatorContact ?? ''),
    urlOf: (slug) => `http://${slug}.${HOST_DOMAIN}:${router.port}`,
    pageOf: (id) => consolePageUrl(origin.current(), id),
    env: process.env,
  }).catch(async (thrown: unknown) => {
    await closers.closeAll();
    throw thrown;
  });
  notice(describeIsolation(running.isolation));
  router.onReplaced(() => void running.refreshRoutes().catch(() => undefined));
  const spool = join(routerFolder, ROUTER_FILES.spool);
  const { served } = running;
  const reader = new RequestReader({ ...hosted, folder: spool, served, clock, notice });
  closers.add(() => reader.stop());
  closers.add(() => running.stop());
  closers.add(() => running.provider.close());
  return { ...running.provider, close: () => closers.closeAll() };
}

/**
 * Opens the hosting that is configured; `undefined` if it is off. By default, the first call opens
 * it, or the start if this data directory has hosted before.
 *
 * @throws {AppError} As `openLocal`, if the operator has asked for hosting.
 */
async function openOwnHosting(services: HostingServices): Promise<DeferredProvider | undefined> {
  const { config, notice, store } = services;
  const { hosting: settings, dataDir } = config;
  const { hosted } = store;
  if (settings === undefined || hosted === undefined) return undefined;
  const deferred = deferProvider(() => openLocal(services, settings, hosted));
  if (!settings.isDefault) await deferred.open();
  else if (existsSync(hostingFolders(dataDir).router)) {
    await deferred.open().catch((thrown: unknown) => notice(toAppError(thrown).message));
  }
  return deferred;
}

/** Opens the hosting provider that a caller has injected, or else the configured one, if any. */
export async function openHosting(
  services: HostingServices & Pick<ServerServices, 'overrides'>,
): Promise<OpenedHosting> {
  const { clock, closers, origin, overrides } = services;
  const injected = await overrides.hosting?.(clock, origin.current);
  const own = injected === undefined ? await openOwnHosting(services) : undefined;
  const provider = injected ?? own?.provider;
  if (provider !== undefined) closers.add(() => provider.close());
  return { provider, current: own?.current ?? (() => injected) };
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
