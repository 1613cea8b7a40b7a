/**
 * A reference to an actor, as it is stored and as machines hold it in context and events. It is
 * plain data in the form in which XState persists references, so it survives restarts. Machines can
 * send to it and stop it; they cannot call it.
 */
export interface ActorReference {
  readonly xstate$$type: 1;
  /** The id of a child, `SELF`, `PARENT`, or `@` and the address of any other actor. */
  readonly id: string;
}

/** Id of a reference to the actor that holds it. */
export const SELF = '#_self';
/** Id of a reference to the parent of the actor that holds it. */
export const PARENT = '#_parent';
/** Before the address of an actor in the id of a reference. */
const ADDRESS_MARK = '@';
/** Before the token of an effect in the id of a reference. */
const EFFECT_MARK = '#_effect:';

/** Returns the reference to a child, to `SELF` or to `PARENT`. */
export function referTo(id: string): ActorReference {
  return Object.freeze({ xstate$$type: 1, id });
}

/**
 * Returns a reference to any actor, for `sendTo`.
 *
 * @param address - Id of the actor.
 * @example
 * entry: sendTo(actorRef('invoice/7'), { type: 'PAID' })
 */
export function actorRef(address: string): ActorReference {
  return referTo(`${ADDRESS_MARK}${address}`);
}

/** Returns whether a value is a reference. */
export function isActorReference(value: unknown): value is ActorReference {
  if (typeof value !== 'object' || value === null) return false;
  const { xstate$$type, id } = value as Partial<ActorReference>;
  return xstate$$type === 1 && typeof id === 'string' && Object.keys(value).length === 2;
}

/** Returns the address of a reference; `undefined` for a child, for `SELF` and for `PARENT`. */
export function addressOf({ id }: ActorReference): string | undefined {
  return id.startsWith(ADDRESS_MARK) ? id.slice(ADDRESS_MARK.length) : undefined;
}

/** Returns a reference to an effect of any actor. */
export function effectRef(token: string): ActorReference {
  return referTo(`${EFFECT_MARK}${token}`);
}

/** Returns the token of the effect of another actor; `undefined` for any other reference. */
export function effectTokenOf({ id }: ActorReference): string | undefined {
  return id.startsWith(EFFECT_MARK) ? id.slice(EFFECT_MARK.length) : undefined;
}

/** Returns the actor id of a child. */
export function childAddress(parentId: string, childId: string): string {
  return `${parentId}/${childId}`;
}

/**
 * Returns a value in which references have addresses, so that another actor can use it. Values
 * without references are returned as they are.
 */
export function withAddresses(value: unknown, owner: ReferenceOwner): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isActorReference(value)) return addressed(value, owner);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withAddresses(item, owner));
    return items.every((item, at) => item === value[at]) ? value : Object.freeze(items);
  }
  const members = Object.entries(value).map(
    ([key, member]) => [key, withAddresses(member, owner)] as const,
  );
  const isSame = members.every(([key, member]) => member === (value as Members)[key]);
  return isSame ? value : Object.freeze(Object.fromEntries(members));
}

/** The actor whose references get addresses. */
export interface ReferenceOwner {
  readonly id: string;
  readonly parent?: { readonly id: string } | undefined;
}

type Members = Readonly<Record<string, unknown>>;

function addressed(reference: ActorReference, { id, parent }: ReferenceOwner): ActorReference {
  if (addressOf(reference) !== undefined || effectTokenOf(reference) !== undefined)
    return reference;
  if (reference.id === SELF) return actorRef(id);
  if (reference.id === PARENT) return parent === undefined ? reference : actorRef(parent.id);
  return actorRef(childAddress(id, reference.id));
}
