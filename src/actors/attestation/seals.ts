import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { ProofRecord } from '../../domain/proof/record.ts';
import type { SealContext, SealInput } from '../../machines/attestation/seal.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import { findOfKind } from '../common/find-actor.ts';
import type { Services } from '../common/services.ts';
import { sealKind } from './seal-definition.ts';
import { createIssuedProof, createRedeemedProof, createRefusedProofs } from './seal-proofs.ts';

/** How long a seal can be used, and how long a use is retained, in milliseconds. */
export const SEAL_LIFE_MS = 548 * DAY_MS;

/** Dependencies of seals. */
export interface SealDeps extends Pick<Services, 'clock' | 'engine' | 'proofs'> {
  /** Derives the unguessable capability of a seal; always the same for one seal. */
  readonly capabilityOf: (sealId: string) => string;
}

/** A seal in its current state, with its proof record. */
export interface SealState {
  readonly seal: SealContext;
  readonly state: 'issued' | 'redeemed' | 'expired' | 'closed';
  readonly record: ProofRecord;
}

/** The content of a new seal. */
export type NewSeal = Pick<
  SealInput,
  'deliverableSha256' | 'agent' | 'agentId' | 'wallet' | 'payer'
>;

/** Returns the public id of the seal that a payment buys. It grants no access. */
export function deriveSealId(paymentId: string): string {
  return `seal_${sha256Hex(`stoa seal v1:${paymentId}`)}`;
}

/** Returns the seal that a payment will create, with its capability. Writes nothing. */
export function planSeal(
  { clock, capabilityOf }: SealDeps,
  paymentId: string,
  order: NewSeal,
): { readonly input: SealInput; readonly capability: string } {
  const sealId = deriveSealId(paymentId);
  const capability = capabilityOf(sealId);
  const capabilitySha = sha256Hex(capability);
  const times = { issuedAt: clock.now(), lifeMs: SEAL_LIFE_MS };
  return { input: { sealId, paymentId, ...order, capabilitySha, ...times }, capability };
}

/**
 * Issues the seal of a payment. Safe to repeat: the same payment gets the same seal.
 *
 * @param issuedAt - Unix milliseconds. Default: now.
 */
export async function issueSeal(
  deps: SealDeps,
  paymentId: string,
  order: NewSeal,
  issuedAt?: number,
): Promise<SealState & { readonly capability: string }> {
  const { engine, proofs } = deps;
  const { input, capability } = planSeal(deps, paymentId, order);
  const { sealId } = input;
  const sealInput = { ...input, issuedAt: issuedAt ?? input.issuedAt };
  await engine.of(sealKind).create(sealId, sealInput).catch(rethrowAsAppError);
  const { seal, state } = await readSealActor(engine, sealId);
  return { seal, state, capability, record: await proofs.append(createIssuedProof(seal)) };
}

/** A request to use a seal. */
export interface SealUseOrder {
  readonly sealId: string;
  readonly capability: string;
  readonly deliverableSha256: string;
  readonly paymentId: string;
  /** Unix milliseconds. Default: now. */
  readonly at?: number;
}

/**
 * Redeems a seal exactly once, also under concurrent calls and crashes. Repeating the same payment
 * is the same use. A rejected use is recorded and proven.
 *
 * @throws {AppError} `SEAL_UNKNOWN`, `FORBIDDEN` without its capability, `SEAL_USED`,
 *   `INPUT_INVALID` for another deliverable, `MOVE_UNAVAILABLE` if it has expired
 */
export async function redeemSeal(deps: SealDeps, order: SealUseOrder): Promise<SealState> {
  const { engine, proofs, clock } = deps;
  const { sealId, paymentId, deliverableSha256 } = order;
  requireCapability(await readSealActor(engine, sealId), order.capability);
  const at = order.at ?? clock.now();
  const use = { type: 'SEAL.REDEEMED', paymentId, deliverableSha256, at };
  await engine.tell(sealId, use).catch((thrown: unknown) => {
    if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw appErrorFromEngine(thrown);
  });
  const { seal, state } = await readSealActor(engine, sealId);
  const redeemed = createRedeemedProof(seal);
  const record = redeemed === undefined ? undefined : await proofs.append(redeemed);
  if (record !== undefined && seal.redemption?.paymentId === paymentId) {
    return { seal, state, record };
  }
  if (state === 'expired') {
    throw new AppError('MOVE_UNAVAILABLE', {
      message: 'The seal expired unused.',
      data: { state, received: sealId, moves: ['check'] },
    });
  }
  throw await rejectionError(deps, seal, { paymentId, deliverableSha256, record });
}

/**
 * Returns a seal to the holder of its capability.
 *
 * @throws {AppError} `SEAL_UNKNOWN`, `FORBIDDEN`
 */
export async function readOwnSeal(
  { engine }: Pick<SealDeps, 'engine'>,
  { sealId, capability }: Pick<SealUseOrder, 'sealId' | 'capability'>,
): Promise<Omit<SealState, 'record'>> {
  const found = await readSealActor(engine, sealId);
  requireCapability(found, capability);
  return found;
}

function requireCapability({ seal }: Pick<SealState, 'seal'>, capability: string): void {
  if (seal.capabilitySha === sha256Hex(capability)) return;
  throw new AppError('FORBIDDEN', {
    message: 'Only the holder of the capability can redeem this seal.',
    data: { received: seal.sealId },
  });
}

/**
 * Returns a seal with the proof record of its issue.
 *
 * @throws {AppError} `SEAL_UNKNOWN`
 */
export async function readSeal(deps: SealDeps, sealId: string): Promise<SealState> {
  const { seal, state } = await readSealActor(deps.engine, sealId);
  return { seal, state, record: await deps.proofs.append(createIssuedProof(seal)) };
}

/** Creates the error for a rejected use, with the proofs of the first use and of the rejection. */
async function rejectionError(
  { proofs }: SealDeps,
  seal: SealContext,
  use: {
    readonly paymentId: string;
    readonly deliverableSha256: string;
    readonly record: ProofRecord | undefined;
  },
): Promise<AppError> {
  const records = await Promise.all(createRefusedProofs(seal).map((proof) => proofs.append(proof)));
  const index = seal.refusals.findIndex(({ paymentId }) => paymentId === use.paymentId);
  const refusal = { refused: seal.refused, refusal_proof: proofPath(records[index]) };
  const { redemption, sealId } = seal;
  if (redemption !== null) {
    return new AppError('SEAL_USED', {
      data: {
        seal_id: sealId,
        first_use: {
          at: new Date(redemption.at).toISOString(),
          deliverable_sha256: redemption.deliverableSha256,
          proof: proofPath(use.record),
        },
        ...refusal,
      },
    });
  }
  return new AppError('INPUT_INVALID', {
    message: 'The seal covers another deliverable.',
    data: { received: use.deliverableSha256, allowed: seal.deliverableSha256, ...refusal },
  });
}

function proofPath(record: ProofRecord | undefined): string | null {
  return record === undefined ? null : `/v1/proofs/${record.seq}.json`;
}

async function readSealActor(engine: ActorEngine, sealId: string) {
  const view = await findOfKind(engine, sealId, sealKind).catch(rethrowAsAppError);
  if (view === undefined) {
    throw new AppError('SEAL_UNKNOWN', { data: { received: sealId.slice(0, 200) } });
  }
  return {
    seal: view.context,
    state: view.value as SealState['state'],
  };
}

function rethrowAsAppError(thrown: unknown): never {
  throw appErrorFromEngine(thrown);
}
