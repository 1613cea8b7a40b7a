import { EngineError } from '../engine/error.ts';
import { isName, NAME_CHARS_MAX } from '../engine/name.ts';
import type { EnqueueOptions, QueueLimits, QueueOptions } from './queue-types.ts';
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
    ...faultsOf(queue),
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
  form: { readonly kind: string; readonly id: string; readonly options: EnqueueOptions },
  kinds: { has(kind: string): boolean },
): void {
  const { kind, id, options } = form;
  const { key, priority = 0 } = options;
  if (!kinds.has(kind)) {
    throw new EngineError('ACTOR_KIND_UNKNOWN', `The kind ${kind} is not defined.`, {
      data: { kind },
    });
  }
  if (!isName(id)) {
    throw invalid(`An actor id must have 1 to ${NAME_CHARS_MAX} printable characters.`, id);
  }
  if (key !== undefined && !isShortName(key, QUEUE_KEY_CHARS_MAX)) {
    throw invalid(`A key must have 1 to ${QUEUE_KEY_CHARS_MAX} printable characters.`, key);
  }
  if (!Number.isSafeInteger(priority) || Math.abs(priority) > PRIORITY_MAX) {
    const range = `from -${PRIORITY_MAX} to ${PRIORITY_MAX}`;
    throw invalid(`priority is ${priority}; it must be an integer ${range}.`, priority);
  }
}

function faultsOf({ name, perKey = {}, waitingMax, ...whole }: QueueOptions): string[] {
  const isNamed = isShortName(name, QUEUE_NAME_CHARS_MAX);
  return [
    ...(isNamed ? [] : [`a name must have 1 to ${QUEUE_NAME_CHARS_MAX} printable characters`]),
    ...limitFaults(name, whole),
    ...limitFaults(`${name} per key`, perKey),
    ...wholeFault(`${name}: waitingMax`, waitingMax, 0),
  ];
}

function limitFaults(where: string, { concurrency, rate }: QueueLimits): string[] {
  const perMs = rate === undefined || (Number.isFinite(rate.perMs) && rate.perMs > 0);
  return [
    ...wholeFault(`${where}: concurrency`, concurrency, 1),
    ...wholeFault(`${where}: rate.max`, rate?.max, 1),
    ...wholeFault(`${where}: rate.burst`, rate?.burst, 1),
    ...(perMs ? [] : [`${where}: rate.perMs must be a number of milliseconds above 0`]),
  ];
}

function wholeFault(where: string, value: number | undefined, least: number): string[] {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return [];
  return [`${where} is ${value}; it must be an integer from ${least}`];
}

function isShortName(text: unknown, charsMax: number): boolean {
  return isName(text) && text.length <= charsMax;
}

function invalid(message: string, received: unknown): EngineError {
  return new EngineError('EVENT_INVALID', message, { data: { received } });
}
