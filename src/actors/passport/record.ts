import type { DelegationContext } from '../../machines/passport/delegation.ts';
import type { PassportContext } from '../../machines/passport/passport-context.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { findActor } from '../common/find-actor.ts';

/** Actor kind of passports. */
export const PASSPORT_KIND = 'passport';
/** Actor kind of delegations. */
export const DELEGATION_KIND = 'delegation';

/** State of a passport, as named in its machine. */
export type PassportState =
  | 'requested'
  | 'minting'
  | 'refused'
  | 'custodial'
  | 'binding'
  | 'claiming'
  | 'self'
  | 'revoked'
  | 'forgotten';

/** State and context of a passport actor. */
export interface PassportActorState {
  readonly state: PassportState;
  readonly context: PassportContext;
}

/** Returns the actor id of a passport name. */
export function passportActorId(name: string): string {
  return `passport-${name}`;
}

/** Returns the state of a passport; `undefined` if nobody has requested the name. */
export async function findPassport(
  engine: ActorEngine,
  name: string,
): Promise<PassportActorState | undefined> {
  const view = await findActor(engine, passportActorId(name));
  return view?.kind === PASSPORT_KIND ? readPassportActor(view) : undefined;
}

/** Reads the state of a passport from its actor's view. */
export function readPassportActor(view: View): PassportActorState {
  const { value } = view;
  const state = typeof value === 'string' ? value : Object.keys(value ?? {})[0];
  return {
    state: state as PassportState,
    context: view.context as unknown as PassportContext,
  };
}

/** Returns the context of a delegation; `undefined` if there is none. */
export async function findDelegation(
  engine: ActorEngine,
  delegationId: string,
): Promise<DelegationContext | undefined> {
  const view = await findActor(engine, delegationId, DELEGATION_KIND);
  if (view === undefined) return undefined;
  return view.context as unknown as DelegationContext;
}
