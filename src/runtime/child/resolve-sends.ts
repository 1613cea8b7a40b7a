import { EngineError } from '../engine/error.ts';
import type { OutboxRow, ParentLink } from '../engine/ports.ts';
import type { StepResult, StepSend } from '../engine/step-types.ts';
import type { Definition, EffectRow } from '../engine/types.ts';
import { rootOf } from '../system/system-table.ts';
import { childAddress, withAddresses } from './actor-ref.ts';

/** A message of an actor, before it has its place in the outbox. */
export type Send = Omit<OutboxRow, 'from' | 'fromSeq' | 'n' | 'trace'>;

/** The actor that sends. */
export interface Sender {
  readonly id: string;
  readonly definition: Definition;
  readonly parent?: ParentLink;
}

/** One step of an actor. */
export interface SentStep {
  readonly subject: Sender;
  readonly seq: number;
  readonly before: WithEffects | undefined;
  readonly incoming: { readonly childId?: string };
  readonly result: StepResult;
}

/** The running effects and children of an actor. */
export interface WithEffects {
  readonly effects: ReadonlyMap<string, EffectRow>;
}

/**
 * Gives addresses to what a step sends. Messages to a child carry the token of the child, so that
 * they never reach a later child with the same name. An actor that ends stops its children.
 *
 * @throws {EngineError} `EVENT_POISON` if the actor sends to a parent and has none.
 */
export function resolveSends(step: SentStep): readonly Send[] {
  const { result, subject } = step;
  const hasEnded = result.next.status !== 'active';
  if (result.sends.length === 0 && !hasEnded) return NO_SENDS;
  const tokens = runningChildren(step);
  const sends = result.sends.flatMap((send) => resolveSend(step, send, tokens));
  return hasEnded ? [...sends, ...stopChildren(subject.id, tokens)] : sends;
}

/** Returns the messages that stop the child machines of an actor. */
export function stopAllChildren(subject: Sender, state: WithEffects): readonly Send[] {
  return stopChildren(subject.id, childTokens(subject, state));
}

const NO_SENDS: readonly Send[] = [];

/** Tokens of running child machines, by the ids of the children. */
type ChildTokens = Map<string, string>;

function childTokens({ definition: { children } }: Sender, state: WithEffects): ChildTokens {
  const rows = [...state.effects.values()].filter(({ src }) => Object.hasOwn(children, src));
  return new Map(rows.map(({ childId, token }) => [childId, token]));
}

function runningChildren({ subject, before, incoming }: SentStep): ChildTokens {
  const tokens = before === undefined ? new Map<string, string>() : childTokens(subject, before);
  if (incoming.childId !== undefined) tokens.delete(incoming.childId);
  return tokens;
}

function stopChildren(parentId: string, tokens: ChildTokens): readonly Send[] {
  return [...tokens].map(([childId, token]) => ({
    to: childAddress(parentId, childId),
    child: { token, stop: true },
  }));
}

function resolveSend(step: SentStep, send: StepSend, tokens: ChildTokens): readonly Send[] {
  const { subject } = step;
  const { id, parent } = subject;
  if ('call' in send) return [{ to: id, call: send.call }];
  if ('start' in send) return startChild(step, send.start, tokens);
  if ('stop' in send) return stopChild(id, send.stop, tokens);
  if ('create' in send) return [send];
  const event = withAddresses(send.event, subject) as typeof send.event;
  if ('to' in send) return [{ to: send.to, event }];
  if ('effectToken' in send) {
    const { effectToken: token } = send;
    return [{ to: token, event, effect: { token }, isRelative: true }];
  }
  if ('self' in send) return [{ to: id, event: send.event, isRelative: true }];
  if ('child' in send) {
    const to = childAddress(id, send.child);
    const token = tokens.get(send.child);
    if (token !== undefined) return [{ to, event, child: { token }, isRelative: true }];
    const effect = findEffect(step, send.child);
    return effect === undefined ? [] : [{ to, event: send.event, effect, isRelative: true }];
  }
  if (parent !== undefined) return [{ to: parent.id, event, isRelative: true }];
  throw new EngineError('EVENT_POISON', `${id} has no parent to send ${event.type} to.`);
}

/** Returns the token of a running effect, or of one that the step starts. */
function findEffect(
  { subject, seq, before, incoming, result }: SentStep,
  childId: string,
): OutboxRow['effect'] | undefined {
  if (result.effectsStarted.some((effect) => effect.childId === childId)) {
    return { token: `${subject.id}:${seq}:${childId}` };
  }
  const row = before?.effects.get(childId);
  const hasEnded = incoming.childId === childId || result.effectsStopped.includes(childId);
  return row === undefined || hasEnded ? undefined : { token: row.token };
}

function startChild(
  { subject, seq, result }: SentStep,
  childId: string,
  tokens: ChildTokens,
): readonly Send[] {
  const started = result.effectsStarted.find((effect) => effect.childId === childId);
  // Started and stopped again in one step.
  if (started === undefined) return [];
  const kind = subject.definition.children[started.src]?.kind ?? started.src;
  const token = `${subject.id}:${seq}:${childId}`;
  tokens.set(childId, token);
  const input = withAddresses(started.input, subject);
  const to = childAddress(subject.id, childId);
  const { sync } = started;
  const root = rootOf(subject);
  const parent: ParentLink = {
    id: subject.id,
    childId,
    token,
    ...(sync === undefined ? undefined : { sync }),
    ...(root === subject.id ? undefined : { root }),
  };
  return [{ to, create: { kind, input, parent } }];
}

function stopChild(parentId: string, childId: string, tokens: ChildTokens): readonly Send[] {
  const token = tokens.get(childId);
  if (token === undefined) return [];
  tokens.delete(childId);
  return [{ to: childAddress(parentId, childId), child: { token, stop: true } }];
}
