import { AppError, type ErrorCode } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { formatUsd } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Controls } from '../../domain/control/controls.ts';
import type { StoredPayerBinding } from '../../domain/escrow/records.ts';
import type { Funding } from '../../domain/escrow/work.ts';
import type { WalletCall } from '../../domain/escrow/work-board.ts';
import type { Kind, TypedActors, ViewOf } from '../../runtime/engine/types.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import type { BoardIndex } from './board-index.ts';
import type { UnclaimedFacts } from './escrow-effects.ts';

/** The services of the work board. */
export interface BoardServices
  extends Pick<Services, 'blobs' | 'chain' | 'clock' | 'engine' | 'passports' | 'trust'> {
  readonly controls: Controls;
  readonly index: BoardIndex;
  readonly unclaimed: UnclaimedFacts;
}

/** Limits on open requests and jobs, per wallet and in total. */
export const BOARD_LIMITS = {
  openRequestsPerWallet: 20,
  openRequestsInAll: 10_000,
  openJobsPerWallet: 100,
} as const;

/** Longest wait for a confirmed fact, in milliseconds. The job continues after it. */
export const FACT_WAIT_MS = 90 * SECOND_MS;
const CALL_DIGITS = 16;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Returns the short hash under which actors record a call. */
export function callHash({ key }: WalletCall): string {
  return sha256Hex(`stoa call v1:${key}`).slice(0, CALL_DIGITS);
}

/** @throws {AppError} `NOT_THE_PARTY` */
export function requireParty(by: WalletCall, allowed: string, role: string): void {
  if (by.wallet === allowed) return;
  throw new AppError('NOT_THE_PARTY', {
    message: `Only the ${role} may do this.`,
    data: { received: by.wallet, allowed, role },
  });
}

/**
 * Throws if a party of a job is an address of this server. Money paid to it would be lost or stuck,
 * and the arbiter must not judge its own jobs.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function requireExternalWallet(
  { trust, chain }: Pick<Services, 'chain' | 'trust'>,
  path: 'buyer' | 'provider',
  wallet: string,
): void {
  const { token, treasury } = chain.facts;
  const own: Readonly<Record<string, string | null>> = {
    ...trust.contracts,
    token,
    treasury,
    operator: trust.operator,
    nobody: ZERO_ADDRESS,
  };
  const received = wallet.toLowerCase();
  const found = Object.entries(own).find(([, address]) => address?.toLowerCase() === received);
  if (found === undefined) return;
  const [is] = found;
  throw new AppError('INPUT_INVALID', {
    message:
      is === 'nobody'
        ? `The ${path} is address 0. Money paid to it is lost.`
        : `The ${path} is the ${is} address of this server and cannot be a party of a job.`,
    data: { path, received, is, allowed: "the party's own wallet" },
  });
}

/** Creates the error for a move that the state does not allow, with the allowed moves. */
export function moveUnavailableError(
  state: string,
  moves: readonly { readonly move: string; readonly by: string }[],
  message?: string,
): AppError {
  const open = moves.map(({ move, by }) => ({ move, by }));
  return new AppError('MOVE_UNAVAILABLE', {
    ...(message === undefined ? {} : { message }),
    data: { state, moves: open },
  });
}

/** Creates the error for an input that the transport schema cannot check. */
export function invalidInputError(path: string, received: unknown, allowed: unknown): AppError {
  return new AppError('INPUT_INVALID', {
    message: `"${path}" is invalid.`,
    data: { path, received, allowed },
  });
}

/**
 * Throws if a price is so low that its fee does not cover the gas of a job.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export async function requireMinimumPrice(
  { trust }: Pick<Services, 'trust'>,
  path: 'budget' | 'price',
  micro: string,
): Promise<void> {
  const least = await trust.readMinimumJobBudget();
  if (BigInt(micro) >= BigInt(least)) return;
  const usd = formatUsd(BigInt(least));
  throw new AppError('INPUT_INVALID', {
    message: `The ${path} is below $${usd}, the current minimum that covers the gas of a job.`,
    data: {
      path,
      received: formatUsd(BigInt(micro)),
      allowed: { from: usd, micro_usd: least },
    },
  });
}

/** Creates the error for a limit per wallet. Other wallets are not affected. */
export function walletLimitError(what: string, received: number, allowed: number): AppError {
  return new AppError('FORBIDDEN', {
    message: `This wallet has ${received} ${what}; the limit is ${allowed}.`,
    data: { received: received + 1, allowed },
  });
}

/** Creates the error for a limit of the whole board. */
export function overloadedError(what: string, received: number, allowed: number): AppError {
  return new AppError('OVERLOADED', {
    message: `${what}. Retry later; nothing was stored.`,
    data: { received, allowed },
  });
}

/** Creates the error for a rejection by the chain. */
export function chainRejectionError(code: ErrorCode | null, message: string | null): AppError {
  return new AppError(code ?? 'SETTLEMENT_FAILED', message === null ? {} : { message });
}

/** Waits until a view matches or the actor ends. After `FACT_WAIT_MS`, returns the current view. */
export async function waitForView<M extends Kind['machine']>(
  actors: TypedActors<M>,
  id: string,
  until: (view: ViewOf<M>) => boolean,
): Promise<ViewOf<M>> {
  const fits = (view: ViewOf<M>) => view.status !== 'active' || until(view);
  try {
    return await actors.waitFor(id, fits, { timeoutMs: FACT_WAIT_MS });
  } catch (thrown) {
    if (isEngineCode(thrown, 'ASK_TIMEOUT')) return actors.view(id);
    throw appErrorFromEngine(thrown);
  }
}

/**
 * Compares the payer with the registered wallet of the buyer's agent. It is recorded only and never
 * blocks.
 */
export async function createPayerStamp(
  { passports, controls }: Pick<BoardServices, 'passports' | 'controls'>,
  buyer: string,
  payer: string,
): Promise<StoredPayerBinding | null> {
  if ((await controls.readLabel('payer-binding')) !== 'LIVE') return null;
  const passport = await passports.find(buyer);
  const wallet = passport?.wallet?.toLowerCase() ?? null;
  return {
    payer: payer.toLowerCase(),
    registeredWallet: wallet,
    match: wallet === null ? null : wallet === payer.toLowerCase(),
  };
}

/**
 * Throws unless the escrow control is LIVE. Jobs that are already funded continue.
 *
 * @throws {AppError} `CONTROL_OFF`
 */
export async function requireEscrowEnabled(
  { controls }: Pick<BoardServices, 'controls'>,
  funding: Funding,
): Promise<void> {
  if (funding !== 'escrow') return;
  const control = 'escrow-funded-requests';
  const label = await controls.readLabel(control);
  if (label === 'LIVE') return;
  throw new AppError('CONTROL_OFF', {
    message: `The control ${control} is ${label}, so the escrow accepts no new money.`,
    data: { control, label, received: funding, allowed: ['on_release'], read: '/a2a/controls' },
  });
}
