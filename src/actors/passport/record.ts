import type { DelegationContext } from '../../machines/passport/delegation.ts';
import type { PassportContext } from '../../machines/passport/passport-facts.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { findActor } from '../common/find-actor.ts';

/** Kind of passport actors. */
export const PASSPORT_KIND = 'passport';
/** Kind of delegation actors. */
export const DELEGATION_KIND = 'delegation';

/** Where a passport stands, in the words of its machine. */
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

/** A passport as its actor stands. */
export interface StandingPassport {
  readonly state: PassportState;
  readonly context: PassportContext;
}

/** The actor of a name. */
export function passportActor(name: string): string {
  return `passport-${name}`;
}

/** Reads a passport's actor; `undefined` when nobody has asked for the name. */
export async function findPassport(
  engine: ActorEngine,
  name: string,
): Promise<StandingPassport | undefined> {
  const view = await findActor(engine, passportActor(name));
  return view?.kind === PASSPORT_KIND ? standingPassport(view) : undefined;
}

/** Reads a view of a passport's actor. */
export function standingPassport(view: View): StandingPassport {
  const { value } = view;
  const state = typeof value === 'string' ? value : Object.keys(value ?? {})[0];
  return {
    state: state as PassportState,
    context: view.context as unknown as PassportContext,
  };
}

/** Reads a delegation's actor; `undefined` when there is none. */
export async function findDelegation(
  engine: ActorEngine,
  delegationId: string,
): Promise<DelegationContext | undefined> {
  const view = await findActor(engine, delegationId, DELEGATION_KIND);
  if (view === undefined) return undefined;
  return view.context as unknown as DelegationContext;
}
