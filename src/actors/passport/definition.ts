import type { CallOutcome, RegisteredAgent, TrustChain } from '../../domain/chain/trust-chain.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { PassportIndex } from '../../domain/passport/passport-index.ts';
import { registrationPath } from '../../domain/passport/registration.ts';
import {
  delegationMachine,
  version as delegationVersion,
} from '../../machines/passport/delegation.ts';
import { passportMachine, version } from '../../machines/passport/passport.ts';
import type {
  BindOrder,
  ClaimOrder,
  Minted,
  MintOrder,
  SeenCall,
} from '../../machines/passport/passport-facts.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition, Effect } from '../../runtime/engine/types.ts';
import { DELEGATION_KIND, PASSPORT_KIND, passportActor } from './record.ts';

const CALL = { attempts: 2, timeoutMs: 2 * MINUTE_MS } as const;

/** What passports act through. */
export interface PassportDefinitionParts {
  readonly chain: TrustChain;
  readonly index: PassportIndex;
  /** The address under which this server is reached, once it is known. */
  readonly baseUrl: () => Promise<string>;
}

/**
 * The passport actor: its machine, and its three effects over the registry. Each may be repeated:
 * registering goes under the name's own key, the others look whether they have been done.
 */
export function definePassport({ chain, index, baseUrl }: PassportDefinitionParts): Definition {
  const { identity } = chain;
  const register: Effect<MintOrder, SeenCall<Minted>> = {
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
      return seen(outcome, now());
    },
  };
  const setWallet: Effect<BindOrder, SeenCall<null>> = {
    ...CALL,
    run: async ({ name: _name, ...order }, { now }) => {
      const outcome = seen(await identity.setWallet(order), now());
      const isThere = (agent: RegisteredAgent) => agent.wallet === order.wallet;
      return reconsidered(order.agentId, outcome, isThere);
    },
  };
  const transfer: Effect<ClaimOrder, SeenCall<null>> = {
    ...CALL,
    run: async ({ agentId, to }, { now }) => {
      const outcome = seen(await identity.transfer(agentId, to), now());
      return reconsidered(agentId, outcome, ({ owner }) => owner === to);
    },
  };
  /** A repeat may be refused because the call before it has done its work. */
  const reconsidered = async (
    agentId: string,
    outcome: SeenCall<null>,
    isThere: (agent: RegisteredAgent) => boolean,
  ): Promise<SeenCall<null>> => {
    if (outcome.state === 'done') return outcome;
    const agent = await identity.read(agentId);
    if (agent === undefined || !isThere(agent)) return outcome;
    const transaction = outcome.state === 'unknown' ? outcome.transaction : null;
    return { state: 'done', transaction, result: null, at: outcome.at };
  };
  return define({
    kind: PASSPORT_KIND,
    version,
    machine: passportMachine,
    effects: { register, setWallet, transfer },
    migrations: [],
  });
}

/** The delegation actor: its machine alone. */
export function defineDelegation(): Definition {
  return define({
    kind: DELEGATION_KIND,
    version: delegationVersion,
    machine: delegationMachine,
    effects: {},
    migrations: [],
  });
}

/** The key under which a name is minted: a repeat of one ask mints nothing. */
function mintToken(name: string, askedAt: number): string {
  return `${passportActor(name)}:mint:${askedAt}`;
}

function seen<Result>(outcome: CallOutcome<Result>, at: number): SeenCall<Result> {
  if (outcome.state !== 'done') return { ...outcome, at };
  const { transaction, result } = outcome;
  return { state: 'done', transaction, result, at };
}
