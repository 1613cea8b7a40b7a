import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { NewPublicEvent } from '../../domain/event/event-log.ts';
import { passportRef } from '../../domain/passport/refs.ts';
import { fullId } from '../../domain/passport/subject.ts';
import type { NewProof } from '../../domain/proof/proof-log.ts';
import type { DelegationContext } from '../../machines/passport/delegation.ts';
import type { ChainMark } from '../../machines/passport/passport-facts.ts';
import type { View } from '../../runtime/engine/types.ts';
import type { Teller, Told } from '../proof/teller.ts';
import { DELEGATION_KIND, PASSPORT_KIND, passportActor, standingPassport } from './record.ts';

/** The agent registry and the operator wallet that first holds its tokens. */
export type Registry = Pick<TrustChain, 'identity' | 'operator'>;

/**
 * Creates the projector of passports: proofs and events of mint, binding, claim, and revocation.
 */
export function passportTeller(registry: Registry): Teller {
  return {
    kind: PASSPORT_KIND,
    after: [
      ...['register', 'setWallet', 'transfer'].map((id) => `xstate.done.actor.${id}`),
      'PASSPORT.REVOKED',
    ],
    tell: async (view) => passportTold(view, registry),
  };
}

/** Projects proofs and events of granted and revoked delegations. */
export const delegationTeller: Teller = {
  kind: DELEGATION_KIND,
  after: ['xstate.init', 'DELEGATION.REVOKED'],
  tell: async (view) => delegationTold(view),
};

const NOTHING: Told = { proofs: [], events: [] };

function passportTold(view: View, { identity, operator }: Registry): Told {
  const { context } = standingPassport(view);
  const { ask, agentId, minted, bound, claimed, revoked } = context;
  const { name, agent_class, operator_id, wallet } = ask.order;
  // A copy that an operator forked has another id than its name implies.
  if (view.id !== passportActor(name) || agentId === null || minted === null) return NOTHING;
  const about: About = {
    // The name of an erased passport can be given to another agent.
    key: `${view.id}:${agentId}`,
    ref: passportRef(name),
    subjects: [wallet, `agent:${agentId}`],
    data: { name, agent_id: fullId(identity.agentRegistry, agentId) },
  };
  const proof = proofOf(about, wallet);
  const proofs: NewProof[] = [
    proof(30010, 'minted', {
      ...marked(minted),
      agent_class,
      operator_id: operator_id ?? wallet,
      owner: operator,
    }),
  ];
  const first = { agent_class, owner: operator, ...marked(minted) };
  const events = [eventOf(about, 'passport.minted', minted.at, first)];
  if (bound !== null) {
    const facts = { wallet, ...marked(bound) };
    proofs.push(proof(30012, 'wallet_bound', facts));
    events.push(eventOf(about, 'passport.wallet_bound', bound.at, facts));
  }
  if (claimed !== null) {
    const facts = { owner: wallet, ...marked(claimed) };
    events.push(eventOf(about, 'passport.claimed', claimed.at, facts));
  }
  if (revoked !== null) {
    const { at, reason } = revoked;
    proofs.push(proof(30024, 'revoked', { reason, at: instant(at) }));
    events.push(eventOf(about, 'passport.revoked', at, { reason }));
  }
  return { proofs, events };
}

function delegationTold(view: View): Told {
  const context = view.context as unknown as DelegationContext;
  const { delegationId, delegation, signature, grantedAt, revoked } = context;
  if (view.id !== delegationId) return NOTHING;
  const { delegator, delegate, scope, depth, parent_id, expires_at } = delegation;
  const about: About = {
    key: delegationId,
    ref: delegationId,
    subjects: [delegator, delegate],
    data: { delegation_id: delegationId, delegator, delegate },
  };
  const proof = proofOf(about, delegator);
  const terms = { scope, depth, parent_id, expires_at };
  const proofs: NewProof[] = [
    proof(30014, 'granted', { delegation: { ...delegation }, signature }),
  ];
  const events = [eventOf(about, 'delegation.granted', grantedAt, terms)];
  if (revoked !== null) {
    const { at, reason } = revoked;
    proofs.push(proof(30024, 'revoked', { reason, at: instant(at) }));
    events.push(eventOf(about, 'delegation.revoked', at, { reason }));
  }
  return { proofs, events };
}

interface About {
  readonly key: string;
  readonly ref: string;
  readonly subjects: readonly string[];
  readonly data: JsonObject;
}

function proofOf({ key, ref, data }: About, subject: string) {
  return (kind: NewProof['kind'], event: string, payload: JsonObject): NewProof => ({
    kind,
    key: `${key}:${event}`,
    ref,
    subject,
    payload: { event, ...data, ...payload },
  });
}

function eventOf(
  { key, ref, subjects, data }: About,
  type: string,
  happenedAt: number,
  more: JsonObject,
): NewPublicEvent {
  const told = { ...data, ...more };
  return { key: `${key}:${type}`, type, ref, subjects, data: told, happenedAt };
}

function marked({ transaction, at }: ChainMark): JsonObject {
  return { transaction, at: instant(at) };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
