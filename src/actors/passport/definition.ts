import type { CallOutcome, RegisteredAgent } from '../../domain/chain/trust-chain.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { PassportIndex } from '../../domain/passport/passport-index.ts';
import { registrationPath } from '../../domain/passport/registration.ts';
import {
  delegationMachine,
  version as delegationVersion,
} from '../../machines/passport/delegation.ts';
import { passportMachine, version } from '../../machines/passport/passport.ts';
import type {
  BindInput,
  ClaimInput,
  MintInput,
  MintResult,
  ObservedCall,
} from '../../machines/passport/passport-context.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition, Effect } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { delegationKind, passportActorId, passportKind } from './record.ts';

const CALL = { attempts: 2, timeoutMs: 2 * MINUTE_MS } as const;

/**
 * Creates the definition of the passport actor with its three effects on the registry. Each can be
 * repeated safely: registration uses a key per name, and the others check the chain first.
 */
export function definePassport({
  trust,
  index,
  baseUrl,
}: Pick<Services, 'baseUrl' | 'trust'> & { readonly index: PassportIndex }): Definition {
  const { identity } = trust;
  const register: Effect<MintInput, ObservedCall<MintResult>> = {
    ...CALL,
    run: async ({ order, askedAt }, { now }) => {
      const { name, agent_class, operator_id, wallet } = order;
      const outcome = await identity.register({
        token: mintToken(name, askedAt),
        wallet,
        uri: `${await baseUrl()}${registrationPath(name)}`,
        metadata: { agentName: name, agentClass: agent_class, operatorId: operator_id ?? wallet },
      });
      if (outcome.state === 'done') {
        const { agentId } = outcome.result;
        await index.put({ name, applicant: wallet, askedAt, agentId });
      }
      return withTime(outcome, now());
    },
  };
  const setWallet: Effect<BindInput, ObservedCall<null>> = {
    ...CALL,
    run: async ({ name: _name, ...order }, { now }) => {
      const outcome = withTime(await identity.setWallet(order), now());
      const isThere = (agent: RegisteredAgent) => agent.wallet === order.wallet;
      return confirmOnChain(order.agentId, outcome, isThere);
    },
  };
  const transfer: Effect<ClaimInput, ObservedCall<null>> = {
    ...CALL,
    run: async ({ agentId, to }, { now }) => {
      const outcome = withTime(await identity.transfer(agentId, to), now());
      return confirmOnChain(agentId, outcome, ({ owner }) => owner === to);
    },
  };
  /** A repeat may fail only because the earlier call succeeded, so the chain decides. */
  const confirmOnChain = async (
    agentId: string,
    outcome: ObservedCall<null>,
    isThere: (agent: RegisteredAgent) => boolean,
  ): Promise<ObservedCall<null>> => {
    if (outcome.state === 'done') return outcome;
    const agent = await identity.read(agentId);
    if (agent === undefined || !isThere(agent)) return outcome;
    const transaction = outcome.state === 'unknown' ? outcome.transaction : null;
    return { state: 'done', transaction, result: null, at: outcome.at };
  };
  return define({
    kind: passportKind.kind,
    version,
    machine: passportMachine,
    effects: { register, setWallet, transfer },
    migrations: [],
  });
}

/** Creates the definition of the delegation actor, which has no effects. */
export function defineDelegation(): Definition {
  return define({
    kind: delegationKind.kind,
    version: delegationVersion,
    machine: delegationMachine,
    effects: {},
    migrations: [],
  });
}

/** Returns the idempotency key of a mint, so that a repeated request mints nothing. */
function mintToken(name: string, askedAt: number): string {
  return `${passportActorId(name)}:mint:${askedAt}`;
}

function withTime<Result>(outcome: CallOutcome<Result>, at: number): ObservedCall<Result> {
  if (outcome.state !== 'done') return { ...outcome, at };
  const { transaction, result } = outcome;
  return { state: 'done', transaction, result, at };
}
