import type {
  AnyActorLogic,
  AnyActorRef,
  AnyStateMachine,
  CallbackActorLogic,
  ObservableActorLogic,
  PromiseActorLogic,
  Subscribable,
} from 'xstate';
import { inertScope } from '../engine/scope.ts';
import type { Effect, Ev } from '../engine/types.ts';
import { LATER } from '../engine/types.ts';
import { walkNodes } from '../view/inspect-machine.ts';
import type { ActorEffectContext } from './context-types.ts';

/**
 * Returns an effect for every promise, callback and observable actor of a machine, by the name that
 * its rows have: the name in `setup({actors})`, or XState's name for an actor written inside
 * `invoke`. As in XState, an error ends one at once. Callbacks and observables last as long as
 * their state: no timeout ends them, and each start of the process starts them again.
 */
export function actorEffects(machine: AnyStateMachine): Readonly<Record<string, Effect<never>>> {
  const effects: Record<string, Effect<never>> = {};
  for (const [name, logic] of listActorLogic(machine)) {
    const effect = toEffect(logic, inertScope(machine));
    if (effect !== undefined) effects[name] = effect;
  }
  return effects;
}

/** Returns the actors that a machine declares or has inside `invoke`, by name. */
export function listActorLogic(machine: AnyStateMachine): ReadonlyMap<string, AnyActorLogic> {
  const actors = machine.implementations.actors as Readonly<Record<string, AnyActorLogic>>;
  const found = new Map<string, AnyActorLogic>(Object.entries(actors));
  for (const node of walkNodes(machine.root)) {
    const invokes: unknown = node.config.invoke;
    const list = Array.isArray(invokes) ? (invokes as unknown[]) : [invokes];
    node.invoke.forEach(({ src }, index) => {
      const logic = (list[index] as { readonly src?: unknown } | undefined)?.src;
      if (typeof logic === 'object' && logic !== null)
        found.set(src as string, logic as AnyActorLogic);
    });
  }
  return found;
}

/** `self` and `system`, which an actor outside XState's runtime cannot use. */
type Scope = Pick<ReturnType<typeof inertScope>, 'self' | 'system'>;

type Run = (input: unknown, context: ActorEffectContext) => Promise<unknown>;

function toEffect(logic: unknown, { self, system }: Scope): Effect<never> | undefined {
  const scope = { self, system };
  if (!isStarted(logic)) return undefined;
  if (isPromiseLogic(logic)) {
    const run: Run = async (input, { signal, show }) =>
      await logic.config({ ...scope, input, signal, emit: show });
    return { attempts: 1, run: withSnapshot(run) };
  }
  if (isObservableLogic(logic)) return { ...LASTING, run: withSnapshot(observe(logic, scope)) };
  return { ...LASTING, run: withSnapshot(callBack(logic as AnyCallbackLogic, scope)) };
}

/** An actor that only its state ends. The end of a process is not its fault. */
const LASTING = {
  attempts: 1,
  deathsMax: Number.MAX_SAFE_INTEGER,
  timeoutMs: Number.POSITIVE_INFINITY,
} as const;

/** XState passes on the first snapshot of an actor once it has started. */
function withSnapshot(run: Run): Effect<never>['run'] {
  return (input, context) => {
    const result = run(input, context as ActorEffectContext);
    (context as ActorEffectContext).sendSnapshot(undefined);
    return result;
  };
}

function callBack(logic: AnyCallbackLogic, scope: Scope): Run {
  return (input, { sendBack, receive, signal, show }) =>
    new Promise((resolve, reject) => {
      const listen = (listener: (event: Ev) => void): void =>
        receive((event) => {
          try {
            listener(event);
          } catch (thrown) {
            reject(thrown);
          }
        });
      const dispose = logic.config({ ...scope, input, sendBack, receive: listen, emit: show });
      signal.addEventListener('abort', () => {
        // Its state has ended, so nothing waits for a result.
        resolve(LATER);
        if (typeof dispose === 'function') dispose();
      });
    });
}

function observe(logic: AnyObservableLogic, scope: Scope): Run {
  const sendsEvents = !hasContext(logic);
  return (input, { sendBack, sendSnapshot, signal, show }) =>
    new Promise((resolve, reject) => {
      const subscription = logic.config({ ...scope, input, emit: show }).subscribe({
        next: (value) => (sendsEvents ? sendBack(value as Ev) : sendSnapshot(value)),
        error: reject,
        complete: () => resolve(undefined),
      });
      signal.addEventListener('abort', () => {
        resolve(LATER);
        subscription.unsubscribe();
      });
    });
}

interface ActorArguments extends Scope {
  readonly input: unknown;
  readonly emit: (event: Ev) => void;
}

type AnyPromiseLogic = PromiseActorLogic<unknown, unknown> & {
  config(args: ActorArguments & { readonly signal: AbortSignal }): PromiseLike<unknown>;
};

type AnyObservableLogic = ObservableActorLogic<unknown, never> & {
  config(args: ActorArguments): Subscribable<unknown>;
};

type AnyCallbackLogic = CallbackActorLogic<Ev, unknown> & {
  config(
    args: ActorArguments & {
      sendBack(event: Ev): void;
      receive(listener: (event: Ev) => void): void;
    },
  ): unknown;
};

/** Machines and transition functions have no `start` or no `config`. */
function isStarted(logic: unknown): boolean {
  const { config, start, transition } = logic as Record<string, unknown>;
  return [config, start, transition].every((each) => typeof each === 'function');
}

function isPromiseLogic(logic: unknown): logic is AnyPromiseLogic {
  const next = tryTransition(logic, { type: 'xstate.promise.resolve', data: RESOLVED });
  return next?.['output'] === RESOLVED;
}

function isObservableLogic(logic: unknown): logic is AnyObservableLogic {
  return tryTransition(logic, { type: 'xstate.observable.complete' })?.['status'] === 'done';
}

/** A plain observable keeps its last value as its context; one of events sends them. */
function hasContext(logic: AnyObservableLogic): boolean {
  const next = tryTransition(logic, { type: 'xstate.observable.next', data: RESOLVED });
  return next?.['context'] === RESOLVED;
}

const RESOLVED = Symbol('resolved');

/** Tries a transition that only one kind of actor knows. No code of the user runs. */
function tryTransition(logic: unknown, event: Ev): Record<string, unknown> | undefined {
  const { transition } = logic as {
    transition(state: object, event: Ev, scope: { readonly self: AnyActorRef | undefined }): object;
  };
  try {
    return transition({ status: 'active' }, event, { self: undefined }) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
