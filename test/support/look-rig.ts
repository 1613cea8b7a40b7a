import type { NewPublicEvent, PublicEvent } from '../../src/domain/event/event-log.ts';
import type { DelegationView, PassportView } from '../../src/domain/passport/passport.ts';
import { parseSubject } from '../../src/domain/passport/subject.ts';
import { createReputationReader } from '../../src/domain/reputation/read-model.ts';
import { verifyStatement } from '../../src/domain/verification/statement.ts';
import { recoverSigner } from '../../src/providers/chain/signature.ts';
import type { TrustServices } from '../../src/tools/reputation/trust-subject.ts';
import { createMemoryPaymentChain, type MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { FEED_START, MadeFeed } from './job-events.ts';
import { type ProofRig, proofRig } from './proof-rig.ts';
import { realClock } from './real-clock.ts';

/** What the tools that look at agents stand on: a real feed and log, contracts in memory. */
export interface LookRig {
  readonly chain: MemoryPaymentChain;
  readonly logs: ProofRig;
  readonly deps: TrustServices;
  /** Agents of the registry, by name. */
  readonly agents: Map<string, PassportView>;
  readonly delegations: DelegationView[];
  /** Adds an agent. */
  register(name: string, over?: Partial<PassportView>): PassportView;
  /** Makes events and writes them into the feed. */
  happen(make: (feed: MadeFeed) => void): Promise<void>;
  /** Tells whether a value is signed by the service. */
  isSigned(value: unknown): boolean;
  close(): Promise<void>;
}

const NOW = FEED_START + 200 * 86_400_000;

/** Opens the rig; `close` removes it. */
export function lookRig(now: () => number = () => NOW): LookRig {
  const clock = { ...realClock, now };
  const chain = createMemoryPaymentChain({ now });
  const logs = proofRig(now);
  const { events, log: proofs } = logs;
  const agents = new Map<string, PassportView>();
  const delegations: DelegationView[] = [];
  const registry = chain.trust.identity.agentRegistry;
  const find = async (subject: string): Promise<PassportView | undefined> => {
    const named = parseSubject(subject, registry);
    return [...agents.values()].find((agent) => {
      if (named?.by === 'name') return agent.name === named.name;
      if (named?.by === 'id') return agent.erc8004.id === named.agentId;
      return agent.wallet === named?.wallet;
    });
  };
  const feed = new MadeFeed();
  return {
    chain,
    logs,
    agents,
    delegations,
    deps: {
      trust: chain.trust,
      events,
      proofs,
      passports: { find },
      delegations: {
        listByWallet: async () => delegations,
        verifyChain: () => Promise.reject(new Error('nobody asks')),
      },
      reputationOf: createReputationReader(events, async () => undefined),
      clock,
    },
    register: (name, over = {}) => {
      const id = String(agents.size);
      const passport = { ...passportOf(name, id, registry), ...over };
      agents.set(name, passport);
      return passport;
    },
    happen: async (make) => {
      const before = feed.events.length;
      make(feed);
      for (const event of feed.events.slice(before)) await events.append(told(event));
    },
    isSigned: (value) => {
      const signer = chain.facts.treasury;
      return verifyStatement(value, { recover: recoverSigner, signer }).isValid;
    },
    close: () => logs.close(),
  };
}

function told({ type, ref, subjects, data, at, seq }: PublicEvent): NewPublicEvent {
  return { key: `made ${seq}`, type, ref, subjects, data, happenedAt: Date.parse(at) };
}

function passportOf(name: string, id: string, registry: string): PassportView {
  const owner = `0x${'e'.repeat(40)}`;
  return {
    name,
    agent_id: `${registry}:${id}`,
    erc8004: { agent_registry: registry, id, agent_uri: `https://stoa.example/${name}` },
    operator_id: 'operator',
    agent_class: 'worker',
    wallet: null,
    owner,
    custody: 'operator',
    registered_at: '2026-01-01T00:00:00.000Z',
    registration_tx: `0x${'1'.repeat(64)}`,
    status: 'active',
    revoked: null,
    delegations: [],
  };
}
