import type { JsonObject } from '../../domain/common/json.ts';
import type { EventType, FailureReason } from '../../domain/hosting/event-types.ts';

/**
 * Emitted by the machines of hosting for the history of a service. The moment is that of the row
 * which emits it. Nothing else writes that history.
 */
export interface ServiceEventTold {
  readonly type: 'service.event';
  readonly serviceId: string;
  readonly event: EventType;
  readonly details: JsonObject;
}

/** One event of a service's history. */
export function told(serviceId: string, event: EventType, details: JsonObject): ServiceEventTold {
  return { type: 'service.event', serviceId, event, details };
}

/** A reason as plain data, for the details of an event. */
export function reasonDetails(reason: FailureReason | null): JsonObject {
  return reason === null ? {} : { reason: { failure: { ...reason } } };
}
