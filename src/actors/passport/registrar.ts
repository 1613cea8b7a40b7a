import pLimit from 'p-limit';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { WalletCall } from '../../domain/escrow/work-board.ts';
import type { PassportOrder, WalletConsent } from '../../domain/passport/order.ts';
import type { PassportIndex } from '../../domain/passport/passport-index.ts';
import { unknownAgentError } from '../../domain/passport/unknown-agent.ts';
import type { TypedData } from '../../domain/wallet/typed-data.ts';
import type { Ev } from '../../runtime/engine/types.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import { tellOnce } from '../common/tell-once.ts';
import type { PassportDirectory, PassportWithView } from './directory.ts';
import { assertPassportLimits } from './limits.ts';
import {
  findPassport,
  type PassportActorState,
  passportActorId,
  passportKind,
  readPassportActor,
} from './record.ts';

/**
 * Longest wait for the chain before a call returns that the mint is in progress, in milliseconds.
 */
export const MINT_WAIT_MS = 20 * SECOND_MS;
/**
 * How far in the future a consent's deadline may be, in seconds. The registry's limit is 5 minutes.
 */
export const CONSENT_DEADLINE_S = { offered: 285, max: 300 } as const;
/** Passport name of this server. */
export const SERVICE_NAME = 'stoa';

type Ports = Pick<Services, 'clock' | 'engine' | 'trust'> & {
  readonly index: PassportIndex;
  readonly directory: PassportDirectory;
};

/** A passport after a call; `state: 'minting'` while the chain has not answered. */
export type MintResult = PassportWithView | { readonly state: 'minting'; readonly view?: never };

/** Mints, binds, transfers, and revokes passports for the wallets that may do so. */
export class PassportRegistrar {
  readonly #parts: Ports;
  /** Serializes mints, so that no two calls see the same free capacity. */
  readonly #serializeMints = pLimit(1);

  constructor(parts: Ports) {
    this.#parts = parts;
  }

  /**
   * Mints a passport for the calling wallet, in the operator's custody.
   *
   * @throws {AppError} `NOT_CONFIGURED`, `NOT_THE_PARTY` for another wallet, `NAME_TAKEN`,
   *   `FORBIDDEN`, `RATE_LIMITED`, `OVERLOADED`, `GAS_BUDGET`, `CHAIN_UNAVAILABLE`
   */
  async mint(order: PassportOrder, by: WalletCall): Promise<MintResult> {
    const { trust } = this.#parts;
    if (trust.contracts.identity === null) throw noRegistryError();
    if (order.wallet !== by.wallet) throw notThePartyError(by.wallet, [order.wallet]);
    await this.#serializeMints(() => this.#mintSerialized(order, by));
    const standing = await this.#waitForActor(order.name, isMinted);
    if (standing.state === 'refused') throw refusalError(standing);
    const known = await this.#parts.directory.byName(order.name);
    return known ?? { state: 'minting' };
  }

  /**
   * Returns the typed data that a wallet signs to be bound, valid for less than 5 minutes.
   *
   * @throws {AppError} `PASSPORT_UNKNOWN`, `MOVE_UNAVAILABLE`
   */
  async walletRequest(name: string): Promise<TypedData> {
    const known = await this.#requirePassport(name);
    return this.#consentRequest(
      known,
      (await this.#parts.trust.nowS()) + CONSENT_DEADLINE_S.offered,
    );
  }

  /**
   * Submits a wallet's consent to the chain.
   *
   * @throws {AppError} `PASSPORT_UNKNOWN`, `MOVE_UNAVAILABLE`, `WALLET_EXPIRED`, `WALLET_FORGED`
   */
  async bind(name: string, { deadline, signature }: WalletConsent): Promise<PassportWithView> {
    const { trust } = this.#parts;
    const known = await this.#requirePassport(name);
    const { wallet } = known.context.ask.order;
    const request = this.#consentRequest(known, deadline);
    if (known.view.wallet === wallet) return known;
    const nowS = await trust.nowS();
    if (deadline < nowS || deadline > nowS + CONSENT_DEADLINE_S.max) {
      throw new AppError('WALLET_EXPIRED', {
        message: 'The deadline must be now or at most 5 minutes ahead, by the chain clock.',
        data: { received: deadline, allowed: { from: nowS, to: nowS + CONSENT_DEADLINE_S.max } },
      });
    }
    if (!(await trust.isSignedBy(wallet, request, signature))) {
      throw new AppError('WALLET_FORGED', {
        message: `The signature is not by ${wallet} over this AgentWalletSet.`,
        data: { allowed: request },
      });
    }
    await this.#sendEvent(name, {
      type: 'WALLET.SIGNED',
      consent: { deadlineS: deadline, signature },
    });
    return this.#waitForChain(name);
  }

  /**
   * Transfers the token to the wallet that it was minted for. A repeat changes nothing.
   *
   * @throws {AppError} `PASSPORT_UNKNOWN`, `NOT_THE_PARTY`, `MOVE_UNAVAILABLE`
   */
  async claim(name: string, by: WalletCall): Promise<PassportWithView> {
    const known = await this.#requirePassport(name);
    const { wallet } = known.context.ask.order;
    if (by.wallet !== wallet) throw notThePartyError(by.wallet, [wallet]);
    if (known.view.custody === 'self' && known.view.owner === wallet) return known;
    this.#assertState(known, ['custodial', 'claiming']);
    await this.#sendEvent(name, { type: 'CLAIM.ASKED' }, by.key);
    return this.#waitForChain(name);
  }

  /**
   * Revokes a passport permanently. In custody, only the wallet that it was minted for may do so;
   * afterwards its on-chain owner or its bound wallet.
   *
   * @throws {AppError} `PASSPORT_UNKNOWN`, `NOT_THE_PARTY`, `MOVE_UNAVAILABLE`
   */
  async revoke(name: string, reason: string, by: WalletCall): Promise<PassportWithView> {
    const known = await this.#requirePassport(name);
    const parties = walletsAllowedToRevoke(known);
    if (!parties.includes(by.wallet)) throw notThePartyError(by.wallet, parties);
    if (known.context.revoked?.by === by.key) return known;
    this.#assertState(known, ['custodial', 'self']);
    const at = this.#parts.clock.now();
    await this.#sendEvent(name, { type: 'PASSPORT.REVOKED', reason, by: by.key, at }, by.key);
    const after = await this.#requirePassport(name);
    this.#assertState(after, ['revoked']);
    return after;
  }

  async #mintSerialized(order: PassportOrder, by: WalletCall): Promise<void> {
    const { trust, clock, engine, index } = this.#parts;
    const { name, wallet } = order;
    const standing = await findPassport(engine, name);
    const isRefused = standing?.state === 'refused';
    if (standing?.context.ask.key === by.key && !isRefused) return;
    const isReserved = name === SERVICE_NAME && wallet !== trust.operator;
    if ((standing !== undefined && !isRefused) || isReserved) {
      throw nameTakenError(name, standing?.context.ask.order.wallet ?? trust.operator);
    }
    assertOwnOperatorId(order, index, trust.operator);
    const now = clock.now();
    assertPassportLimits({ index, trust }, wallet, now);
    const askedAt = now;
    const row = { name, applicant: wallet, askedAt, agentId: null };
    const ask = { order, key: by.key, src: by.src ?? null, at: askedAt };
    // Write the row before the actor, so that after a crash every actor is counted.
    await index.put(row);
    if (isRefused) await this.#sendEvent(name, { type: 'PASSPORT.ASKED', ask });
    else await withAppErrors(engine.of(passportKind).create(passportActorId(name), ask));
  }

  async #requirePassport(name: string): Promise<PassportWithView> {
    const known = await this.#parts.directory.byName(name);
    if (known === undefined) throw unknownAgentError(name);
    return known;
  }

  #consentRequest(known: PassportWithView, deadlineS: number): TypedData {
    const { context, view } = known;
    if (view.wallet !== context.ask.order.wallet) {
      this.#assertState(known, ['custodial', 'binding']);
    }
    return this.#parts.trust.identity.createWalletRequest({
      agentId: view.erc8004.id,
      wallet: context.ask.order.wallet,
      owner: view.owner,
      deadlineS,
    });
  }

  #assertState({ state, view }: PassportWithView, allowed: readonly string[]): void {
    if (allowed.includes(state)) return;
    throw new AppError('MOVE_UNAVAILABLE', {
      message: `The passport of ${view.name} is ${state}; it must be ${allowed.join(' or ')}.`,
      data: { received: state, allowed, custody: view.custody },
    });
  }

  async #sendEvent(name: string, event: Ev, key?: string): Promise<void> {
    const { engine } = this.#parts;
    const id = passportActorId(name);
    await withAppErrors(
      key === undefined ? engine.tell(id, event) : tellOnce(engine, id, event, key),
    );
  }

  /** Waits for the chain's answer to a move of a registered agent. */
  async #waitForChain(name: string): Promise<PassportWithView> {
    const standing = await this.#waitForActor(name, ({ state }) => !isCallPending(state));
    if (isCallPending(standing.state)) {
      throw new AppError('CHAIN_UNAVAILABLE', {
        message: 'The chain has not answered yet. The call continues; read the passport again.',
        data: { state: standing.state },
      });
    }
    if (standing.context.fault !== null) throw refusalError(standing);
    return this.#requirePassport(name);
  }

  async #waitForActor(
    name: string,
    until: (standing: PassportActorState) => boolean,
  ): Promise<PassportActorState> {
    const passports = this.#parts.engine.of(passportKind);
    const id = passportActorId(name);
    try {
      const view = await passports.waitFor(id, (seen) => until(readPassportActor(seen)), {
        timeoutMs: MINT_WAIT_MS,
      });
      return readPassportActor(view);
    } catch (thrown) {
      if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw appErrorFromEngine(thrown);
      return readPassportActor(await passports.view(id));
    }
  }
}

/**
 * Returns the wallets that may revoke: the applicant while in custody, then owner and bound wallet.
 */
function walletsAllowedToRevoke({ context, view }: PassportWithView): readonly string[] {
  if (view.custody === 'operator') return [context.ask.order.wallet];
  return view.wallet === null ? [view.owner] : [view.owner, view.wallet];
}

function isMinted({ state }: PassportActorState): boolean {
  return state !== 'requested' && state !== 'minting';
}

function isCallPending(state: PassportActorState['state']): boolean {
  return state === 'binding' || state === 'claiming';
}

async function withAppErrors(acked: Promise<unknown>): Promise<void> {
  try {
    await acked;
  } catch (thrown) {
    throw appErrorFromEngine(thrown);
  }
}

function noRegistryError(): AppError {
  return new AppError('NOT_CONFIGURED', {
    message: 'The chain of this server has no agent registry. The operator must configure one.',
  });
}

function notThePartyError(received: string, allowed: readonly string[]): AppError {
  return new AppError('NOT_THE_PARTY', {
    message: 'The request is signed by a wallet that may not do this.',
    data: { received, allowed },
  });
}

function nameTakenError(name: string, wallet: string): AppError {
  return new AppError('NAME_TAKEN', {
    message: `The name ${name} belongs to the agent of ${wallet}.`,
    data: { received: name, taken_by: wallet },
  });
}

function refusalError({ context: { fault } }: PassportActorState): AppError {
  const { code, message } = fault ?? { code: 'CHAIN_UNAVAILABLE' as const, message: undefined };
  return new AppError(code, message === undefined ? {} : { message });
}

/** `operator_id` is free text, but must not be the name of another wallet's agent. */
function assertOwnOperatorId(
  { operator_id: received, wallet }: PassportOrder,
  index: PassportIndex,
  operator: string,
): void {
  if (received === undefined) return;
  const name = received.toLowerCase();
  const holder = name === SERVICE_NAME ? operator : index.byName(name)?.applicant;
  if (holder === undefined || holder === wallet) return;
  throw new AppError('INPUT_INVALID', {
    message: `operator_id is the name of an agent of another wallet, ${holder}.`,
    data: { path: 'operator_id', received, allowed: 'an id of your own, or your wallet' },
  });
}
