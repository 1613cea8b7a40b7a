import type { Service } from '../../domain/hosting/records.ts';
import type { ServiceHost } from '../../domain/hosting/service-host.ts';
import type { ServiceContext } from '../../machines/hosting/service/context.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { listAll } from '../common/actor-lists.ts';
import { cronRunKind } from './definitions/cron-run.ts';
import { instanceKind } from './definitions/instance.ts';
import { serviceKind } from './definitions/service.ts';
import { serviceContext } from './hosting-directory.ts';

/** States in which no process of an instance runs. */
const REST_STATES = ['stopped', 'gone'];

/**
 * Reconciles schedules, routes, and files with the wanted state of services. A serving cron job has
 * a schedule, a service that does not serve has no route, and a removed service is deleted once its
 * instances have stopped. Safe to repeat; runs at the start and after each change.
 */
export async function reconcile(engine: ActorEngine, host: ServiceHost): Promise<void> {
  const scheduled = new Map((await engine.schedules()).map((one) => [one.name, one.cron]));
  for (const { id, state } of await listAll(engine, {
    kind: serviceKind.kind,
    limit: 1_000,
  })) {
    const context = serviceContext(await engine.view(id));
    const wanted = state === 'active' ? scheduleOf(context) : undefined;
    const known = scheduled.get(id);
    if (wanted === undefined && known !== undefined) await engine.unschedule(id);
    if (wanted !== undefined && wanted !== known) await scheduleCronJob(engine, id, wanted);
    if (isRouteUnused(state, context)) await host.removeRoutes(id);
    if (state === 'removed' && (await areInstancesStopped(engine, id))) await host.remove(id);
  }
}

/** A current deploy finishes its cut-over before the service learns that it is live. */
function isRouteUnused(state: string, { isServing, current }: ServiceContext): boolean {
  return !isServing && (state !== 'active' || current === null);
}

function scheduleOf({ service, live }: ServiceContext): string | undefined {
  return live === null ? undefined : cronOf(service);
}

function cronOf(service: Service): string | undefined {
  return service.type === 'cron_job' ? service.serviceDetails.schedule : undefined;
}

/** Runs one at a time. After downtime, one missed run is made up for. */
async function scheduleCronJob(engine: ActorEngine, id: string, cron: string): Promise<void> {
  await engine.schedule(id, {
    cron,
    timezone: 'UTC',
    kind: cronRunKind.kind,
    input: { serviceId: id },
    overlap: 'skip',
    missed: 'once',
  });
}

async function areInstancesStopped(engine: ActorEngine, serviceId: string): Promise<boolean> {
  const kind = instanceKind.kind;
  const rows = await listAll(engine, { kind, prefix: `${serviceId}-`, limit: 1_000 });
  return rows.every(({ state }) => REST_STATES.includes(state));
}
