import type { JsonObject } from '../../domain/common/json.ts';
import type { EventType } from '../../domain/hosting/event-types.ts';
import type { FailureReason } from '../../domain/hosting/records.ts';

/**
 * Emitted by hosting machines for the history of a service, with the time of the emitting row. The
 * history has no other writers.
 */
export interface ServiceHistoryEvent {
  readonly type: 'service.event';
  readonly serviceId: string;
  readonly event: EventType;
  readonly details: JsonObject;
}

/** Creates one event of a service's history. */
export function createHistoryEvent(
  serviceId: string,
  event: EventType,
  details: JsonObject,
): ServiceHistoryEvent {
  return { type: 'service.event', serviceId, event, details };
}

/** Converts a failure reason to event details. */
export function toReasonDetails(reason: FailureReason | null): JsonObject {
  return reason === null ? {} : { reason: { failure: { ...reason } } };
}
