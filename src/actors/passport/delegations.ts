import { AppError } from '../../domain/common/error.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import type { WalletCall } from '../../domain/escrow/work-board.ts';
import {
  buildDelegationTypedData,
  DELEGATION_LIMITS,
  type Delegation,
  type DelegationState,
  deriveDelegationId as idOf,
} from '../../domain/passport/delegation.ts';
import { validateChain } from '../../domain/passport/delegation-chain.ts';
import type { ChainLink, DelegationChain, Delegations } from '../../domain/passport/delegations.ts';
import type { DelegationView } from '../../domain/passport/passport.ts';
import type { PassportIndex } from '../../domain/passport/passport-index.ts';
import type { DelegationContext } from '../../machines/passport/delegation.ts';
import { appErrorFromEngine } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import { tellOnce } from '../common/tell-once.ts';
import { foreignOriginError } from '../wallet/foreign-origin-error.ts';
import { PAID_LIMIT_ADVICE } from './limits.ts';
import { delegationKind, findDelegation } from './record.ts';

/** Limits for delegations: in total, per wallet, per answer, and per direction on a passport. */
export const DELEGATIONS = {
  totalMax: 100_000,
  newTotalMax: 50_000,
  perWalletMax: 1_000,
  /** Limit of a wallet that never paid; each settled payment adds the same number again. */
  newPerWalletMax: 20,
  listedMax: 100,
  shownMax: 25,
} as const;

type Ports = Pick<Services, 'chain' | 'clock' | 'engine' | 'origins' | 'proofs' | 'trust'> & {
  readonly index: PassportIndex;
};

/** Stores each delegation as a durable actor and judges delegation chains. */
export class DelegationRegistry implements Delegations {
  readonly #parts: Ports;

  constructor(parts: Ports) {
    this.#parts = parts;
  }

  /**
   * Stores a delegation. Repeating the same delegation returns the existing one.
   *
   * @throws {AppError} `WALLET_ORIGIN`, `WALLET_FORGED`, `DELEGATION_INVALID` with every broken
   *   rule, `INPUT_INVALID` if it lasts too long, `FORBIDDEN` above the delegator's limit,
   *   `OVERLOADED` above the total limit, `MOVE_UNAVAILABLE` for one that was revoked and then
   *   erased
   */
  async grant(delegation: Delegation, signature: string): Promise<DelegationChain> {
    const { chain, clock, engine, index, trust } = this.#parts;
    const { chainId } = chain.facts;
    const delegationId = idOf(delegation, chainId);
    const known = await findDelegation(engine, delegationId);
    if (known !== undefined) return this.verifyChain(delegationId);
    this.#assertNotRevoked(delegationId);
    const { delegator, delegate } = delegation;
    this.#assertOwnOrigin(delegation);
    const signed = buildDelegationTypedData(delegation, chainId);
    if (!(await trust.isSignedBy(delegator, signed, signature))) {
      throw new AppError('WALLET_FORGED', {
        message: `The signature is not by ${delegator} over this delegation.`,
        data: { received: { delegator }, allowed: { signed: { ...signed } } },
      });
    }
    const grantedAt = clock.now();
    const lifeMs = Date.parse(delegation.expires_at) - grantedAt;
    await this.#assertValidChain(
      {
        delegation_id: delegationId,
        delegation,
        signature,
        granted_at: toIsoTime(grantedAt),
        revoked: null,
      },
      grantedAt,
    );
    assertLifetime(delegation, lifeMs);
    assertDelegationLimits(index, delegator, trust.countPaidCalls(delegator));
    await index.putDelegation({ delegationId, delegator, delegate, grantedAt });
    try {
      const input = { delegationId, delegation, signature, grantedAt };
      await engine.of(delegationKind).create(delegationId, input);
    } catch (thrown) {
      throw appErrorFromEngine(thrown);
    }
    return this.verifyChain(delegationId);
  }

  /**
   * Revokes a delegation and all delegations below it. A repeat changes nothing.
   *
   * @throws {AppError} `DELEGATION_UNKNOWN`, `NOT_THE_PARTY`, `MOVE_UNAVAILABLE` if it has expired
   */
  async revoke(delegationId: string, reason: string, by: WalletCall): Promise<DelegationChain> {
    const { clock, engine } = this.#parts;
    const { delegation, revoked } = await this.#read(delegationId);
    if (by.wallet !== delegation.delegator) {
      throw new AppError('NOT_THE_PARTY', {
        message: 'Only the wallet that granted a delegation can revoke it.',
        data: { received: by.wallet, allowed: [delegation.delegator] },
      });
    }
    if (revoked !== null) return this.verifyChain(delegationId);
    const at = clock.now();
    if (Date.parse(delegation.expires_at) <= at) {
      throw new AppError('MOVE_UNAVAILABLE', {
        message: `The delegation expired at ${delegation.expires_at}.`,
        data: { received: 'expired', allowed: ['active'] },
      });
    }
    const event = { type: 'DELEGATION.REVOKED', reason, at };
    try {
      await tellOnce(engine, delegationId, event, by.key);
    } catch (thrown) {
      throw appErrorFromEngine(thrown);
    }
    return this.verifyChain(delegationId);
  }

  async verifyChain(delegationId: string): Promise<DelegationChain> {
    const { clock } = this.#parts;
    const links = await this.#chainTo(toStandingDelegation(await this.#read(delegationId)));
    const now = clock.now();
    const { isValid, faults } = validateChain(links, now);
    const [root, last] = [links[0], links.at(-1)];
    if (root === undefined || last === undefined) throw unknownDelegation(delegationId);
    const ends = links.map(({ delegation }) => Date.parse(delegation.expires_at));
    return {
      delegation_id: delegationId,
      is_valid: isValid,
      faults,
      delegator: root.delegation.delegator,
      delegate: last.delegation.delegate,
      scope: last.delegation.scope,
      expires_at: toIsoTime(Math.min(...ends)),
      links: links.map((link, place) => this.#linkWithStatus(link, links.slice(0, place + 1), now)),
    };
  }

  listByWallet(wallet: string): Promise<readonly DelegationView[]> {
    return this.#views(this.#parts.index.delegationsOf(wallet, DELEGATIONS.listedMax));
  }

  /**
   * Returns the delegations on a passport: those that its wallet granted, then the newest that it
   * received. Anyone can grant one, but cannot displace the wallet's own grants.
   */
  async listForPassport(wallet: string): Promise<readonly DelegationView[]> {
    const { index } = this.#parts;
    const given = index.listGrantedBy(wallet, DELEGATIONS.shownMax);
    const all = index.delegationsOf(wallet, DELEGATIONS.shownMax);
    return this.#views([...new Set([...given, ...all])]);
  }

  async #views(ids: readonly string[]): Promise<readonly DelegationView[]> {
    const views = await Promise.all(ids.map((id) => this.#view(id)));
    return views.flatMap((view) => (view === undefined ? [] : [view]));
  }

  async #view(delegationId: string): Promise<DelegationView | undefined> {
    const found = await findDelegation(this.#parts.engine, delegationId);
    if (found === undefined) return undefined;
    const links = await this.#chainTo(toStandingDelegation(found));
    const { status, proof_seq } = this.#linkWithStatus(
      toStandingDelegation(found),
      links,
      this.#parts.clock.now(),
    );
    const { delegator, delegate, scope, depth, expires_at } = found.delegation;
    return {
      delegation_id: delegationId,
      delegator,
      delegate,
      scope,
      depth_left: depth,
      expires_at,
      status,
      proof_seq,
    };
  }

  /**
   * Adds the status to a link. A link is revoked with any link above it, and a missing parent
   * counts as revoked.
   */
  #linkWithStatus(link: DelegationState, upTo: readonly DelegationState[], now: number): ChainLink {
    const isCut = (upTo[0]?.delegation.parent_id ?? null) !== null;
    const isRevoked = isCut || upTo.some(({ revoked }) => revoked !== null);
    const isOver = upTo.some(({ delegation }) => Date.parse(delegation.expires_at) <= now);
    const [proof] = this.#parts.proofs
      .find(link.delegation_id, PROOFS_READ_MAX)
      .filter(({ kind }) => kind === 30014);
    const status = isRevoked ? 'revoked' : isOver ? 'expired' : 'active';
    return { ...link, status, proof_seq: proof?.seq ?? null };
  }

  /**
   * Returns the chain that ends with a link, root first. Links above the maximum depth are omitted.
   */
  async #chainTo(last: DelegationState): Promise<readonly DelegationState[]> {
    const links = [last];
    while (links.length <= DELEGATION_LIMITS.linksMax) {
      const parentId = links[0]?.delegation.parent_id ?? null;
      if (parentId === null) return links;
      const parent = await findDelegation(this.#parts.engine, parentId);
      if (parent === undefined) return links;
      links.unshift(toStandingDelegation(parent));
    }
    return links;
  }

  /** Anyone who read a delegation has its signature, so an erased delegation stays revoked. */
  #assertNotRevoked(delegationId: string): void {
    const records = this.#parts.proofs.find(delegationId, PROOFS_READ_MAX);
    if (!records.some(({ kind }) => kind === 30024)) return;
    throw new AppError('MOVE_UNAVAILABLE', {
      message: 'This delegation was revoked. Sign a new one with another nonce.',
      data: { received: delegationId, allowed: 'a delegation that was never revoked' },
    });
  }

  /** A delegation for another server is valid there, not here. */
  #assertOwnOrigin(delegation: Delegation): void {
    const { chain, origins } = this.#parts;
    const { chainId } = chain.facts;
    const own = origins();
    if (delegation.origin !== undefined && own.includes(delegation.origin)) return;
    const { domain, types, primaryType } = buildDelegationTypedData(
      { ...delegation, origin: own[0] ?? '' },
      chainId,
    );
    throw foreignOriginError(delegation.origin, own, { domain, types, primaryType });
  }

  async #assertValidChain(link: DelegationState, now: number): Promise<void> {
    const { isValid, faults } = validateChain(await this.#chainTo(link), now);
    if (isValid) return;
    const [first] = faults;
    throw new AppError('DELEGATION_INVALID', {
      message: `The delegation chain is invalid: ${first?.says}.`,
      data: { received: link.delegation_id, broken: faults },
    });
  }

  async #read(delegationId: string): Promise<DelegationContext> {
    const found = await findDelegation(this.#parts.engine, delegationId);
    if (found === undefined) throw unknownDelegation(delegationId);
    return found;
  }
}

/** A delegation has at most two proofs: of its grant and of its revocation. */
const PROOFS_READ_MAX = 4;

function assertLifetime({ expires_at }: Delegation, lifeMs: number): void {
  if (lifeMs <= DELEGATION_LIMITS.lifeMsMax) return;
  throw new AppError('INPUT_INVALID', {
    message: 'A delegation can last at most 366 days.',
    data: { received: expires_at, allowed: 'at most 366 days from now' },
  });
}

function assertDelegationLimits(index: PassportIndex, delegator: string, paid: number): void {
  const { newPerWalletMax } = DELEGATIONS;
  const isNew = paid === 0;
  const totalMax = isNew ? DELEGATIONS.newTotalMax : DELEGATIONS.totalMax;
  const perWalletMax = Math.min(DELEGATIONS.perWalletMax, newPerWalletMax * (1 + paid));
  const advice = isNew ? ` ${PAID_LIMIT_ADVICE}` : '';
  const total = index.delegationCount();
  if (total >= totalMax) {
    throw new AppError('OVERLOADED', {
      message: `The server has reached its limit of ${totalMax} delegations.${advice}`,
      data: { received: total + 1, allowed: totalMax, is_new_wallet: isNew },
    });
  }
  if (index.listGrantedBy(delegator, perWalletMax).length < perWalletMax) return;
  throw new AppError('FORBIDDEN', {
    message:
      `This wallet has reached its limit of ${perWalletMax} delegations. The limit is ` +
      `${newPerWalletMax}, plus ${newPerWalletMax} for each settled payment, at most ` +
      `${DELEGATIONS.perWalletMax}.`,
    data: { received: perWalletMax + 1, allowed: perWalletMax, settled_payments: paid },
  });
}

function toStandingDelegation(context: DelegationContext): DelegationState {
  const { delegationId, delegation, signature, grantedAt, revoked } = context;
  return {
    delegation_id: delegationId,
    delegation,
    signature,
    granted_at: toIsoTime(grantedAt),
    revoked: revoked === null ? null : { at: toIsoTime(revoked.at), reason: revoked.reason },
  };
}

function unknownDelegation(delegationId: string): AppError {
  return new AppError('DELEGATION_UNKNOWN', { data: { received: delegationId.slice(0, 200) } });
}
