import type { AnyStateMachine } from 'xstate';
import { define } from '../engine/define.ts';
import { EngineError } from '../engine/error.ts';
import type { Definition } from '../engine/types.ts';
import type { ActorSource, Machines } from './durable-types.ts';

/** Members that every app has. */
const RESERVED = ['engine', 'close'];

/**
 * Returns the definition of a kind of an app.
 *
 * @param name - Its name in the app.
 * @param defineKind - `define` of another copy of the library.
 * @throws {EngineError} `DEFINITION_INVALID`
 */
export function toDefinition(
  name: string,
  source: ActorSource<Machines[string]>,
  defineKind: typeof define = define,
): Definition {
  if (RESERVED.includes(name)) {
    const message = `${name} is not allowed as the name of a kind; every app has this member.`;
    throw new EngineError('DEFINITION_INVALID', message, { data: { kind: name } });
  }
  if (isMachine(source))
    return defineKind({ kind: name, version: 1, machine: source, effects: {} });
  if (source.kind !== undefined) return source;
  return defineKind({ version: 1, ...source, kind: name });
}

/** Recognizes machines of any copy of XState. */
function isMachine(
  source: ActorSource<Machines[string]>,
): source is AnyStateMachine & typeof source {
  return 'root' in source && 'transition' in source;
}
