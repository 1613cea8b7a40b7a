import type { RegisteredAgent } from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import type { PassportView } from '../../domain/passport/passport.ts';
import type { PassportIndex } from '../../domain/passport/passport-index.ts';
import type { Passports } from '../../domain/passport/passports.ts';
import { formatAgentId, parseSubject } from '../../domain/passport/subject.ts';
import type { Services } from '../common/services.ts';
import type { DelegationRegistry } from './delegations.ts';
import { findPassport, type PassportActorState } from './record.ts';

/** Maximum number of names that are read per wallet. */
const NAMES_PER_WALLET_MAX = 64;

type Ports = Pick<Services, 'engine' | 'trust'> & {
  readonly index: PassportIndex;
  readonly delegations: Pick<DelegationRegistry, 'listForPassport'>;
};

/** A passport with the state of its actor and its public view. */
export interface PassportWithView extends PassportActorState {
  readonly view: PassportView;
}

/** Finds passports by name, id, or wallet. Owner and wallet are read from the chain every time. */
export class PassportDirectory implements Passports {
  readonly #parts: Ports;

  constructor(parts: Ports) {
    this.#parts = parts;
  }

  async find(subject: string): Promise<PassportView | undefined> {
    if (this.#parts.trust.contracts.identity === null) return undefined;
    return (await this.findWithState(subject))?.view;
  }

  /**
   * Finds a passport like `find`, with the state of its actor.
   *
   * @throws {AppError} `NOT_CONFIGURED` if the chain has no registry
   */
  async findWithState(subject: string): Promise<PassportWithView | undefined> {
    const { trust, index } = this.#parts;
    const named = parseSubject(subject, trust.identity.agentRegistry);
    if (named === undefined) return undefined;
    if (named.by === 'wallet') return this.#findByWallet(named.wallet);
    const name = named.by === 'name' ? named.name : index.byAgentId(named.agentId);
    return name === undefined ? undefined : this.byName(name);
  }

  /** @returns `undefined` while the name is not minted. */
  async byName(name: string): Promise<PassportWithView | undefined> {
    const { trust, delegations, engine, index } = this.#parts;
    const standing = await findPassport(engine, name);
    const agentId = standing?.context.agentId ?? null;
    if (standing === undefined || agentId === null) return undefined;
    const agent = await trust.identity.read(agentId);
    if (agent === undefined) throw missingOnChain(name, agentId);
    const wallet = boundWallet(agent, standing, trust.operator);
    const { at: askedAt, order } = standing.context.ask;
    const applicant = order.wallet;
    const others = [wallet, agent.owner].filter(
      (one): one is string => one !== null && one !== applicant && one !== trust.operator,
    );
    // The owner may bind a wallet directly on the chain; the index learns it on the next read.
    const unknown = others.filter((one) => !isIndexed(index, one, name));
    if (unknown.length > 0) await index.put({ name, applicant, askedAt, agentId }, unknown);
    const party = wallet ?? (agent.owner === trust.operator ? applicant : agent.owner);
    const given = await delegations.listForPassport(party);
    const facts = { agent, wallet, registry: trust.identity.agentRegistry };
    const isKeptHere = agent.owner === trust.operator;
    return {
      ...standing,
      view: createPassportView(standing, { ...facts, isKeptHere, delegations: given }),
    };
  }

  /** Lists minted passports by name. */
  async list(options: { readonly cursor?: string; readonly limit: number }) {
    const rows = this.#parts.index.list(options.cursor, options.limit);
    const found = await Promise.all(rows.map(({ name }) => this.byName(name)));
    const last = rows.at(-1);
    return {
      rows: found.flatMap((known) => (known === undefined ? [] : [known.view])),
      cursor: rows.length < options.limit || last === undefined ? null : last.name,
    };
  }

  /**
   * Prefers a passport that is bound to the wallet, then one that it owns; active ones come first.
   */
  async #findByWallet(wallet: string): Promise<PassportWithView | undefined> {
    const names = this.#parts.index.byWallet(wallet, NAMES_PER_WALLET_MAX);
    const found = await Promise.all(names.map((name) => this.byName(name)));
    const known = found.flatMap((one) => (one === undefined ? [] : [one]));
    const inOrder = [
      ...known.filter(({ view }) => view.wallet === wallet),
      ...known.filter(({ view }) => view.wallet !== wallet && view.owner === wallet),
    ];
    return inOrder.find(({ view }) => view.status === 'active') ?? inOrder[0];
  }
}

interface ViewFacts {
  readonly agent: RegisteredAgent;
  readonly wallet: string | null;
  readonly registry: string;
  readonly isKeptHere: boolean;
  readonly delegations: PassportView['delegations'];
}

function createPassportView(
  { state, context }: PassportActorState,
  facts: ViewFacts,
): PassportView {
  const { agent, wallet, registry, isKeptHere, delegations } = facts;
  const { name, agent_class, operator_id, wallet: applicant } = context.ask.order;
  const { minted, revoked } = context;
  return {
    name,
    agent_id: formatAgentId(registry, agent.agentId),
    erc8004: { agent_registry: registry, id: agent.agentId, agent_uri: agent.uri },
    operator_id: operator_id ?? applicant,
    agent_class,
    wallet,
    owner: agent.owner,
    custody: isKeptHere ? 'operator' : 'self',
    registered_at: toIsoTime(minted?.at ?? 0),
    registration_tx: minted?.transaction ?? '',
    status: state === 'revoked' ? 'revoked' : 'active',
    revoked: revoked === null ? null : { at: toIsoTime(revoked.at), reason: revoked.reason },
    delegations,
  };
}

/**
 * The registry sets the registering wallet as the first agent wallet. If that is the operator on
 * behalf of another wallet, no wallet is bound.
 */
function boundWallet(
  agent: RegisteredAgent,
  { context }: PassportActorState,
  operator: string,
): string | null {
  const isStandIn = agent.wallet === operator && context.ask.order.wallet !== operator;
  return isStandIn ? null : agent.wallet;
}

function isIndexed(index: PassportIndex, wallet: string, name: string): boolean {
  return index.byWallet(wallet, NAMES_PER_WALLET_MAX).includes(name);
}

function missingOnChain(name: string, agentId: string): AppError {
  return new AppError('CHAIN_UNAVAILABLE', {
    message: 'The chain has no such agent. It was reset, or its node lags behind.',
    data: { name, agent_id: agentId },
  });
}
