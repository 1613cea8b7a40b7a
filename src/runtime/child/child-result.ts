import type { AnyMachineSnapshot } from 'xstate';
import type { ParentLink } from '../engine/ports.ts';
import { persist } from '../engine/snapshot.ts';
import type { Ev } from '../engine/types.ts';
import type { Send } from './resolve-sends.ts';

/** A child machine after a row. */
export interface EndedChild {
  readonly snapshot: Pick<AnyMachineSnapshot, 'status' | 'output' | 'error'>;
}

/** Returns the message that gives a parent the result of a child that has ended. */
export function childResult(
  { parent }: { readonly parent?: ParentLink },
  { snapshot }: EndedChild,
): Send | undefined {
  if (parent === undefined || snapshot.status === 'active') return undefined;
  const { id: to, childId, token } = parent;
  return { to, event: resultEvent(childId, snapshot), result: { childId, token } };
}

/** Returns the message that gives a parent the snapshot of a child, if it has `onSnapshot`. */
export function childSnapshot(
  { parent }: { readonly parent?: ParentLink },
  before: { readonly snapshot: AnyMachineSnapshot } | undefined,
  { snapshot }: { readonly snapshot: AnyMachineSnapshot },
): Send | undefined {
  if (parent?.sync === undefined || snapshot.status !== 'active') return undefined;
  if (before?.snapshot === snapshot) return undefined;
  const { id: to, childId, token } = parent;
  const event = { type: `xstate.snapshot.${childId}`, snapshot: persist(snapshot) };
  return { to, event, snapshot: { childId, token } };
}

/** Returns the message that tells a parent that its child could not start. */
export function failedStart(
  { id: to, childId, token }: ParentLink,
  error: { readonly code?: string; readonly message: string },
): Send {
  const { code = 'CHILD_FAILED', message } = error;
  const event = errorEvent(childId, { name: 'EngineError', code, message });
  return { to, event, result: { childId, token } };
}

function resultEvent(childId: string, { status, output, error }: EndedChild['snapshot']): Ev {
  if (status === 'done') {
    return { type: `xstate.done.actor.${childId}`, output: output as unknown, actorId: childId };
  }
  const stopped = { name: 'EngineError', code: 'CHILD_STOPPED', message: 'The child was stopped.' };
  return errorEvent(childId, status === 'error' ? error : stopped);
}

function errorEvent(childId: string, error: unknown): Ev {
  return { type: `xstate.error.actor.${childId}`, error, actorId: childId };
}
