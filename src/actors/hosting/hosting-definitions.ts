import type { DatabaseHosts } from '../../domain/hosting/database-host.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import { defineCronRun } from './definitions/cron-run.ts';
import { defineDatabase } from './definitions/database.ts';
import { defineDeploy } from './definitions/deploy.ts';
import type { ServiceActorDeps } from './definitions/effects.ts';
import { defineInstance } from './definitions/instance.ts';
import { defineService } from './definitions/service.ts';

/** Dependencies of hosting actors. */
interface HostingActorDeps extends ServiceActorDeps {
  readonly hosts: DatabaseHosts;
}

/** Creates the definitions of all hosting actors. */
export function defineHostingActors(parts: HostingActorDeps): readonly Definition[] {
  return [
    defineService(),
    defineDeploy(parts),
    defineInstance(parts),
    defineCronRun(parts),
    defineDatabase(parts),
  ];
}
