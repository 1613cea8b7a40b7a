import type { JsonObject } from '../../domain/common/json.ts';
import type { DiskUsage } from '../../domain/hosting/disk-level.ts';
import type { EventType } from '../../domain/hosting/event-types.ts';
import type { Service } from '../../domain/hosting/records.ts';
import { SUSPENDED_BY_USER } from '../../domain/hosting/suspension.ts';
import { createHistoryEvent, type ServiceHistoryEvent } from './service-event.ts';

/** Returns the history events for a change of the record. */
export function createChangeEvents(
  before: Service,
  after: Service,
): readonly ServiceHistoryEvent[] {
  const tell = (event: EventType, details: JsonObject) =>
    createHistoryEvent(before.id, event, details);
  const events: ServiceHistoryEvent[] = [];
  if (before.autoDeploy !== after.autoDeploy) {
    const isOn = after.autoDeploy === 'yes';
    const event = isOn ? 'auto_deploy_enabled' : 'auto_deploy_disabled';
    events.push(tell(event, isOn ? {} : { reason: 'setting_change' }));
  }
  const [from, to] = [readPlan(before), readPlan(after)];
  if (from !== to) events.push(tell('plan_changed', { from, to }));
  const [fromInstances, toInstances] = [readInstanceCount(before), readInstanceCount(after)];
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
export function createSuspensionEvents(
  { id }: Service,
  actor: string,
): readonly ServiceHistoryEvent[] {
  const suspendedByUser = actor === SUSPENDED_BY_USER;
  return [
    createHistoryEvent(id, 'suspender_added', { actor, suspendedByUser }),
    createHistoryEvent(id, 'service_suspended', { actor }),
  ];
}

/** Returns the history events for the end of a suspension. */
export function createResumptionEvents({
  id,
  suspenders,
}: Service): readonly ServiceHistoryEvent[] {
  return [
    ...suspenders.map((actor) => createHistoryEvent(id, 'suspender_removed', { actor })),
    createHistoryEvent(id, 'service_resumed', {}),
  ];
}

/** Creates the history event for a disk that became high or recovered, with usage and capacity. */
export function createDiskEvent(
  { id }: Service,
  event: Extract<EventType, `service_disk_usage_${string}`>,
  { used, room }: DiskUsage,
): ServiceHistoryEvent {
  return createHistoryEvent(id, event, {
    usedBytes: used.bytes,
    roomBytes: room.bytes,
    usedFiles: used.files,
    roomFiles: room.files,
  });
}

function readPlan({ serviceDetails }: Service): string {
  return 'plan' in serviceDetails ? serviceDetails.plan : '';
}

function readInstanceCount({ serviceDetails }: Service): number {
  return 'numInstances' in serviceDetails ? serviceDetails.numInstances : 0;
}
