import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import type { NewPublicEvent } from '../../domain/event/event-log.ts';
import { passportRef } from '../../domain/passport/refs.ts';
import { formatAgentId } from '../../domain/passport/subject.ts';
import type { NewProof } from '../../domain/proof/proof-log.ts';
import type { ChainReceipt } from '../../machines/passport/passport-context.ts';
import { createProjector, type Projection, type Projector } from '../proof/projector.ts';
import {
  type DelegationView,
  delegationKind,
  type PassportView,
  passportActorId,
  passportKind,
  readPassportActor,
} from './record.ts';

/** The agent registry and the operator wallet that first holds its tokens. */
export type Registry = Pick<TrustChain, 'identity' | 'operator'>;

/**
 * Creates the projector of passports: proofs and events of mint, binding, claim, and revocation.
 */
export function createPassportProjector(registry: Registry): Projector {
  return createProjector(passportKind, {
    after: [
      ...['register', 'setWallet', 'transfer'].map((id) => `xstate.done.actor.${id}`),
      'PASSPORT.REVOKED',
    ],
    project: async (view) => projectPassport(view, registry),
  });
}

/** Projects proofs and events of granted and revoked delegations. */
export const delegationProjector: Projector = createProjector(delegationKind, {
  after: ['xstate.init', 'DELEGATION.REVOKED'],
  project: async (view) => projectDelegation(view),
});

const EMPTY_PROJECTION: Projection = { proofs: [], events: [] };

function projectPassport(view: PassportView, { identity, operator }: Registry): Projection {
  const { context } = readPassportActor(view);
  const { ask, agentId, minted, bound, claimed, revoked } = context;
  const { name, agent_class, operator_id, wallet } = ask.order;
  // A copy that an operator forked has another id than its name implies.
  if (view.id !== passportActorId(name) || agentId === null || minted === null)
    return EMPTY_PROJECTION;
  const about: RecordSubject = {
    // The name of an erased passport can be given to another agent.
    key: `${view.id}:${agentId}`,
    ref: passportRef(name),
    subjects: [wallet, `agent:${agentId}`],
    data: { name, agent_id: formatAgentId(identity.agentRegistry, agentId) },
  };
  const proof = proofFactory(about, wallet);
  const proofs: NewProof[] = [
    proof(30010, 'minted', {
      ...chainMarkFields(minted),
      agent_class,
      operator_id: operator_id ?? wallet,
      owner: operator,
    }),
  ];
  const first = { agent_class, owner: operator, ...chainMarkFields(minted) };
  const events = [createEvent(about, 'passport.minted', minted.at, first)];
  if (bound !== null) {
    const facts = { wallet, ...chainMarkFields(bound) };
    proofs.push(proof(30012, 'wallet_bound', facts));
    events.push(createEvent(about, 'passport.wallet_bound', bound.at, facts));
  }
  if (claimed !== null) {
    const facts = { owner: wallet, ...chainMarkFields(claimed) };
    events.push(createEvent(about, 'passport.claimed', claimed.at, facts));
  }
  if (revoked !== null) {
    const { at, reason } = revoked;
    proofs.push(proof(30024, 'revoked', { reason, at: toIsoTime(at) }));
    events.push(createEvent(about, 'passport.revoked', at, { reason }));
  }
  return { proofs, events };
}

function projectDelegation({ id, context }: DelegationView): Projection {
  const { delegationId, delegation, signature, grantedAt, revoked } = context;
  if (id !== delegationId) return EMPTY_PROJECTION;
  const { delegator, delegate, scope, depth, parent_id, expires_at } = delegation;
  const about: RecordSubject = {
    key: delegationId,
    ref: delegationId,
    subjects: [delegator, delegate],
    data: { delegation_id: delegationId, delegator, delegate },
  };
  const proof = proofFactory(about, delegator);
  const terms = { scope, depth, parent_id, expires_at };
  const proofs: NewProof[] = [
    proof(30014, 'granted', { delegation: { ...delegation }, signature }),
  ];
  const events = [createEvent(about, 'delegation.granted', grantedAt, terms)];
  if (revoked !== null) {
    const { at, reason } = revoked;
    proofs.push(proof(30024, 'revoked', { reason, at: toIsoTime(at) }));
    events.push(createEvent(about, 'delegation.revoked', at, { reason }));
  }
  return { proofs, events };
}

interface RecordSubject {
  readonly key: string;
  readonly ref: string;
  readonly subjects: readonly string[];
  readonly data: JsonObject;
}

function proofFactory({ key, ref, data }: RecordSubject, subject: string) {
  return (kind: NewProof['kind'], event: string, payload: JsonObject): NewProof => ({
    kind,
    key: `${key}:${event}`,
    ref,
    subject,
    payload: { event, ...data, ...payload },
  });
}

function createEvent(
  { key, ref, subjects, data }: RecordSubject,
  type: string,
  happenedAt: number,
  more: JsonObject,
): NewPublicEvent {
  const eventData = { ...data, ...more };
  return { key: `${key}:${type}`, type, ref, subjects, data: eventData, happenedAt };
}

function chainMarkFields({ transaction, at }: ChainReceipt): JsonObject {
  return { transaction, at: toIsoTime(at) };
}
