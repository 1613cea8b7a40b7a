import { EngineError } from '../engine/error.ts';
import { isName, NAME_CHARS_MAX } from '../engine/name.ts';
import type { EnqueueOptions } from '../engine/types.ts';
import type { QueueLimits, QueueOptions } from './queue-types.ts';
import { PRIORITY_MAX, QUEUE_KEY_CHARS_MAX, QUEUE_NAME_CHARS_MAX } from './queue-types.ts';

/**
 * Validates the options of all queues.
 *
 * @throws {EngineError} `DEFINITION_INVALID` listing every invalid option.
 */
export function checkQueues(queues: readonly QueueOptions[]): void {
  const names = queues.map(({ name }) => name);
  const faults = queues.flatMap((queue, at) => [
    ...(names.indexOf(queue.name) === at ? [] : [`${queue.name} is defined twice`]),
    ...findQueueErrors(queue),
  ]);
  if (faults.length === 0) return;
  throw new EngineError('DEFINITION_INVALID', `queues: ${faults.join('; ')}`, { data: { faults } });
}

/**
 * Validates the arguments of `enqueue`.
 *
 * @throws {EngineError} `ACTOR_KIND_UNKNOWN`, `EVENT_INVALID`
 */
export function checkEnqueue(
  request: { readonly kind: string; readonly id: string; readonly options: EnqueueOptions },
  kinds: { has(kind: string): boolean },
): void {
  const { kind, id, options } = request;
  const { key, priority = 0 } = options;
  if (!kinds.has(kind)) {
    throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${kind} is not defined.`, {
      data: { kind },
    });
  }
  if (!isName(id)) {
    throw invalidArgument(`An actor id must have 1 to ${NAME_CHARS_MAX} printable characters.`, id);
  }
  if (key !== undefined && !isShortName(key, QUEUE_KEY_CHARS_MAX)) {
    throw invalidArgument(`A key must have 1 to ${QUEUE_KEY_CHARS_MAX} printable characters.`, key);
  }
  if (!Number.isSafeInteger(priority) || Math.abs(priority) > PRIORITY_MAX) {
    const range = `from -${PRIORITY_MAX} to ${PRIORITY_MAX}`;
    throw invalidArgument(`priority is ${priority}; it must be an integer ${range}.`, priority);
  }
}

function findQueueErrors({ name, perKey = {}, waitingMax, ...whole }: QueueOptions): string[] {
  const isNamed = isShortName(name, QUEUE_NAME_CHARS_MAX);
  return [
    ...(isNamed ? [] : [`a name must have 1 to ${QUEUE_NAME_CHARS_MAX} printable characters`]),
    ...findLimitErrors(name, whole),
    ...findLimitErrors(`${name} per key`, perKey),
    ...findIntegerErrors(`${name}: waitingMax`, waitingMax, 0),
  ];
}

function findLimitErrors(where: string, { concurrency, rate }: QueueLimits): string[] {
  const isPeriodValid = rate === undefined || (Number.isFinite(rate.perMs) && rate.perMs > 0);
  return [
    ...findIntegerErrors(`${where}: concurrency`, concurrency, 1),
    ...findIntegerErrors(`${where}: rate.max`, rate?.max, 1),
    ...findIntegerErrors(`${where}: rate.burst`, rate?.burst, 1),
    ...(isPeriodValid ? [] : [`${where}: rate.perMs must be a number of milliseconds above 0`]),
  ];
}

function findIntegerErrors(where: string, value: number | undefined, minimum: number): string[] {
  if (value === undefined || (Number.isSafeInteger(value) && value >= minimum)) return [];
  return [`${where} is ${value}; it must be an integer from ${minimum}`];
}

function isShortName(text: unknown, charsMax: number): boolean {
  return isName(text) && text.length <= charsMax;
}

function invalidArgument(message: string, received: unknown): EngineError {
  return new EngineError('EVENT_INVALID', message, { data: { received } });
}
