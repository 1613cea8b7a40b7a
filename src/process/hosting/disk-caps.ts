import { databaseKind } from '../../actors/hosting/database-definition.ts';
import type { HostingDirectory } from '../../actors/hosting/hosting-directory.ts';
import {
  type DiskAmount,
  databaseDiskLimit,
  serviceDiskLimit,
} from '../../domain/hosting/disk-limits.ts';
import type { DiskWatchParts } from '../../providers/hosting/local/disk/disk-watch.ts';
import { isOfKind } from '../../runtime/engine/typed-actors.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';

/** Overrides of disk limits for tests. */
export type DiskOptions = Partial<Pick<DiskWatchParts, 'bounds' | 'capOf'>>;

/** Returns the disk limit of a service or database, by its current plan. */
export async function readDiskCap(
  engine: ActorEngine,
  directory: HostingDirectory,
  id: string,
): Promise<DiskAmount | undefined> {
  const view = await engine.view(id).catch(() => undefined);
  if (view === undefined) return undefined;
  if (isOfKind(databaseKind, view)) return databaseDiskLimit(view.context.record);
  const found = await directory.service(id).catch(() => undefined);
  return found === undefined ? undefined : serviceDiskLimit(found.context.service);
}
