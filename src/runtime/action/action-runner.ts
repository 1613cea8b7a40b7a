import type { Send } from '../child/resolve-sends.ts';
import type { Subject } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { OutboxRow, RuntimeClock } from '../engine/ports.ts';
import { inertScope } from '../engine/scope.ts';
import type { ActionCall, LogEntry } from '../engine/step-types.ts';
import type { Definition } from '../engine/types.ts';
import type { Awaitable } from '../load/awaitable.ts';
import { chain, isPromise } from '../load/awaitable.ts';
import { deepFreeze } from '../value/plain.ts';
import { decode } from '../value/typed-value.ts';
import type { ActionFunction } from './action-table.ts';
import { actionTable, closures } from './action-table.ts';

/** How long the next action of an actor waits for an asynchronous one, in milliseconds. */
export const ACTION_TIMEOUT_MS = 15 * 60 * 1_000;

/** An action with the actor whose step called it. */
export type CalledAction = OutboxRow & { readonly call: ActionCall };

/**
 * Runs an action function after its step is on disk. It runs again only if the process ends before
 * its row is removed, then with the same token. What it throws is reported, and changes nothing.
 *
 * @param actor.subject - The actor; `undefined` if its kind is gone.
 * @param actor.repeatStep - Computes what a row of an actor sent, see `TimeTravel.repeatStep`.
 */
export async function runAction(
  core: Core,
  { subject, repeatStep }: ActionOwner,
  row: CalledAction,
): Promise<void> {
  const { from, call } = row;
  try {
    if (subject === undefined) throw new EngineError('ACTOR_KIND_UNKNOWN', 'its kind is gone');
    const { definition } = subject;
    const found = findFunction(definition, row, repeatStep);
    const run = isPromise(found) ? await found : found;
    if (run === undefined) {
      throw new EngineError('DEFINITION_INVALID', 'the machine no longer has it');
    }
    const { self } = inertScope(definition.machine);
    const system = actionSystem(core, subject);
    // A row that was read from the store is not frozen yet.
    const { context, event, params } = decode(deepFreeze(call));
    const args = { context, event, self, system, token: actionToken(row) };
    await withTimeout(core.clock, Promise.resolve(run(args, params)));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The action ${call.name} of ${from} failed: ${reason}`;
    core.notice({ kind: 'action_failed', actorId: from, message, cause });
  }
}

/** The system that an action sees: the ids that are taken when it asks. */
function actionSystem({ systems }: Core, subject: Subject) {
  const { system } = inertScope(subject.definition.machine);
  return {
    ...system,
    get: (systemId: string) => systems.view(subject)?.get(systemId),
    getAll: () => systems.view(subject)?.getAll() ?? {},
  };
}

/** The actor of an action. */
export interface ActionOwner {
  readonly subject: Subject | undefined;
  readonly repeatStep: (id: string, seq: number) => Awaitable<readonly Send[]>;
}

/** Functions that a step created are gone after a restart; the step creates them again. */
function findFunction(
  { machine }: Definition,
  { from, fromSeq, call }: CalledAction,
  repeatStep: ActionOwner['repeatStep'],
): Awaitable<ActionFunction | undefined> {
  if (call.closure === undefined) return actionTable(machine).find(call.name);
  const known = closures.get(call);
  if (known !== undefined) return known;
  return chain(repeatStep(from, fromSeq), (sends) => {
    const repeated = sends.find((send) => send.call?.closure === call.closure);
    return repeated?.call === undefined ? undefined : closures.get(repeated.call);
  });
}

/** Returns the token of an action: the same each time it runs. */
function actionToken({ from, fromSeq, n }: OutboxRow): string {
  return `${from}:${fromSeq}:action.${n}`;
}

async function withTimeout(clock: RuntimeClock, work: Promise<unknown>): Promise<void> {
  let cancel = (): void => undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    cancel = clock.at(clock.now() + ACTION_TIMEOUT_MS, () => {
      reject(new DOMException(`it did not end in ${ACTION_TIMEOUT_MS} ms`, 'TimeoutError'));
    });
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    cancel();
  }
}

/** Passes on what a machine logs, as XState does. */
export function writeLogs(core: Core, actorId: string, logs: readonly LogEntry[]): void {
  for (const { label, value } of logs) core.log({ actorId, label, value });
}
