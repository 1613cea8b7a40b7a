import type { TrustChain } from '../../src/domain/chain/trust-chain.ts';
import type { JsonObject } from '../../src/domain/common/json.ts';
import {
  buildPassportBody,
  buildPassportDocument,
  PASSPORT_STATEMENT,
} from '../../src/domain/passport/document.ts';
import type { PassportView } from '../../src/domain/passport/passport.ts';
import { type LookRig, lookRig } from './look-rig.ts';
import { createParty } from './trust-parties.ts';

/** Agents that are registered on a chain in memory, and their identity cards. */
export interface CardWorld {
  readonly rig: LookRig;
  /** Registers an agent with a wallet that proved itself. */
  agent(name: string, over?: Partial<PassportView>): Promise<PassportView>;
  /** The card of an agent, as the passport's page gives it; signed by the chain that is given. */
  card(view: PassportView, o?: CardOptions): Record<string, unknown>;
}

/** How a card is written. */
export interface CardOptions {
  readonly badge?: string;
  readonly issuedAt?: number;
  readonly chain?: Pick<TrustChain, 'signStatement'>;
}

/** Opens the world; close its rig at the end. */
export function cardWorld(): CardWorld {
  const rig = lookRig();
  const { trust } = rig.chain;
  return {
    rig,
    agent: async (name, over = {}) => {
      const minted = await trust.identity.register({ token: name, uri: 'https://x', metadata: {} });
      if (minted.state !== 'done') throw new Error(`not minted: ${minted.state}`);
      const { agentId } = minted.result;
      const party = createParty();
      const deadlineS = (await trust.nowS()) + 200;
      const asked = { agentId, wallet: party.address, deadlineS };
      const request = trust.identity.createWalletRequest({ ...asked, owner: trust.operator });
      await trust.identity.setWallet({ ...asked, signature: await party.sign(request) });
      const registry = trust.identity.agentRegistry;
      return rig.register(name, {
        agent_id: `${registry}:${agentId}`,
        erc8004: { agent_registry: registry, id: agentId, agent_uri: 'https://x' },
        owner: trust.operator,
        wallet: party.address,
        ...over,
      });
    },
    card: (view, { badge = 'none', issuedAt = rig.deps.clock.now(), chain = trust } = {}) => {
      const source = 'settled_jobs';
      const reputation = { score: 0, badge, settled_jobs: 0, disputes: 0, source } as const;
      const proofs = { count: 0, by_kind: {}, checkpoint: null };
      const body = buildPassportBody({ view, registration: { active: true }, reputation, proofs });
      const statement = chain.signStatement({
        kind: PASSPORT_STATEMENT,
        payload: body as unknown as JsonObject,
        issuedAt,
      });
      return JSON.parse(JSON.stringify(buildPassportDocument(body, statement)));
    },
  };
}
