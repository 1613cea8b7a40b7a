import type { JsonObject } from '../../domain/common/json.ts';
import type { DiskUsage } from '../../domain/hosting/disk-level.ts';
import type { EventType } from '../../domain/hosting/event-types.ts';
import type { Service } from '../../domain/hosting/records.ts';
import { USER } from '../../domain/hosting/suspension.ts';
import { type ServiceEventTold, told } from './service-event.ts';

/** Returns the history events for a change of the record. */
export function changesTold(before: Service, after: Service): readonly ServiceEventTold[] {
  const tell = (event: EventType, details: JsonObject) => told(before.id, event, details);
  const events: ServiceEventTold[] = [];
  if (before.autoDeploy !== after.autoDeploy) {
    const isOn = after.autoDeploy === 'yes';
    const event = isOn ? 'auto_deploy_enabled' : 'auto_deploy_disabled';
    events.push(tell(event, isOn ? {} : { reason: 'setting_change' }));
  }
  const [from, to] = [planOf(before), planOf(after)];
  if (from !== to) events.push(tell('plan_changed', { from, to }));
  const [fromInstances, toInstances] = [instancesOf(before), instancesOf(after)];
  if (fromInstances !== toInstances) {
    events.push(tell('instance_count_changed', { fromInstances, toInstances }));
  }
  if (before.repo !== after.repo || before.branch !== after.branch) {
    const source = ({ repo, branch }: Service): JsonObject => ({ repo, branch });
    events.push(tell('artifact_source_changed', { from: source(before), to: source(after) }));
  }
  return events;
}

/** Returns the history events for a suspension. */
export function suspensionTold({ id }: Service, actor: string): readonly ServiceEventTold[] {
  const suspendedByUser = actor === USER;
  return [
    told(id, 'suspender_added', { actor, suspendedByUser }),
    told(id, 'service_suspended', { actor }),
  ];
}

/** Returns the history events for the end of a suspension. */
export function resumptionTold({ id, suspenders }: Service): readonly ServiceEventTold[] {
  return [
    ...suspenders.map((actor) => told(id, 'suspender_removed', { actor })),
    told(id, 'service_resumed', {}),
  ];
}

/** Creates the history event for a disk that became high or recovered, with usage and capacity. */
export function diskTold(
  { id }: Service,
  event: Extract<EventType, `service_disk_usage_${string}`>,
  { used, room }: DiskUsage,
): ServiceEventTold {
  return told(id, event, {
    ...{ usedBytes: used.bytes, roomBytes: room.bytes },
    ...{ usedFiles: used.files, roomFiles: room.files },
  });
}

function planOf({ serviceDetails }: Service): string {
  return 'plan' in serviceDetails ? serviceDetails.plan : '';
}

function instancesOf({ serviceDetails }: Service): number {
  return 'numInstances' in serviceDetails ? serviceDetails.numInstances : 0;
}
