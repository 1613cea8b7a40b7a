import type { AnyActorRef } from 'xstate';
import type { ActorReference } from '../child/actor-ref.ts';
import { isActorReference } from '../child/actor-ref.ts';
import { EngineError } from '../engine/error.ts';

/** The system ids that an actor sees before a step. */
export interface SystemView {
  /** Returns the actor with a system id, as the stepping actor refers to it. */
  get(systemId: string): ActorReference | undefined;
  /** Returns all actors that have a system id. */
  getAll(): Readonly<Record<string, ActorReference>>;
  /** Returns the system ids of a child of the stepping actor and of everything below it. */
  idsUnder(childId: string): readonly string[];
}

/** The part of XState's actor system that finds actors by their system ids. */
interface NamingSystem {
  get(systemId: string): unknown;
  getAll(): Record<string, unknown>;
  _set(systemId: string, actor: AnyActorRef): void;
  _unregister(actor: AnyActorRef): void;
}

/**
 * The system ids during one step: those before it, those that it frees, and those that it gives to
 * new children. As in XState, an id that is taken is an error.
 */
export class StepSystem {
  readonly #self: AnyActorRef;
  #view: SystemView | undefined;
  #given: Map<string, AnyActorRef> | undefined;
  #freed: Set<string> | undefined;

  /** @param self - The inert actor that stands for the stepping one. */
  constructor(self: AnyActorRef) {
    this.#self = self;
    const system = self.system as unknown as NamingSystem;
    system.get = (systemId) => this.#get(systemId);
    system.getAll = () => this.#getAll();
    system._set = (systemId, actor) => this.#give(systemId, actor);
    system._unregister = (actor) => this.free(actor);
  }

  begin(view: SystemView | undefined): void {
    this.#view = view;
  }

  end(): void {
    this.#view = undefined;
    this.#given = undefined;
    this.#freed = undefined;
  }

  /** Frees the ids of a child that is stopped or has ended, and of everything below it. */
  free(child: unknown): void {
    if (isActorReference(child)) {
      const ids = this.#view?.idsUnder(child.id) ?? [];
      if (ids.length > 0) this.#freed = new Set([...(this.#freed ?? []), ...ids]);
      return;
    }
    for (const [systemId, actor] of this.#given ?? []) {
      if (actor === child) this.#given?.delete(systemId);
    }
  }

  /** Returns the system id that this step gives to a new child. */
  idOf(actor: AnyActorRef): string | undefined {
    const { systemId } = actor as { readonly systemId?: string };
    return systemId !== undefined && this.#given?.get(systemId) === actor ? systemId : undefined;
  }

  #get(systemId: string): unknown {
    const given = this.#given?.get(systemId);
    if (given !== undefined) return given;
    return this.#freed?.has(systemId) === true ? undefined : this.#view?.get(systemId);
  }

  #getAll(): Record<string, unknown> {
    const before = Object.entries(this.#view?.getAll() ?? {});
    const kept = before.filter(([systemId]) => this.#freed?.has(systemId) !== true);
    return Object.fromEntries([...kept, ...(this.#given ?? [])]);
  }

  #give(systemId: string, actor: AnyActorRef): void {
    // XState also computes the first state of a new child machine, whose own children start later.
    if (actor._parent !== this.#self) return;
    if (this.#get(systemId) !== undefined) {
      const message = `Actor with system ID '${systemId}' already exists.`;
      throw new EngineError('DEFINITION_INVALID', message, { data: { systemId } });
    }
    this.#given ??= new Map();
    this.#given.set(systemId, actor);
  }
}
