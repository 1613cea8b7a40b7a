import { type DelegationContext, delegationMachine } from '../../machines/passport/delegation.ts';
import { passportMachine } from '../../machines/passport/passport.ts';
import type { PassportContext } from '../../machines/passport/passport-context.ts';
import type { ActorEngine, ViewOf } from '../../runtime/engine/types.ts';
import { findOfKind } from '../common/find-actor.ts';

/** Actor kind of passports. */
export const passportKind = { kind: 'passport', machine: passportMachine } as const;
/** Actor kind of delegations. */
export const delegationKind = { kind: 'delegation', machine: delegationMachine } as const;

/** The committed state of a passport. */
export type PassportView = ViewOf<typeof passportMachine>;
/** The committed state of a delegation. */
export type DelegationView = ViewOf<typeof delegationMachine>;

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
  const view = await findOfKind(engine, passportActorId(name), passportKind);
  return view === undefined ? undefined : readPassportActor(view);
}

/** Reads the state of a passport from its actor's view. */
export function readPassportActor({ value, context }: PassportView): PassportActorState {
  const state = typeof value === 'string' ? value : Object.keys(value ?? {})[0];
  return { state: state as PassportState, context };
}

/** Returns the context of a delegation; `undefined` if there is none. */
export async function findDelegation(
  engine: ActorEngine,
  delegationId: string,
): Promise<DelegationContext | undefined> {
  return (await findOfKind(engine, delegationId, delegationKind))?.context;
}
