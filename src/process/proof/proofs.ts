import { join } from 'node:path';
import type { Services } from '../../actors/common/services.ts';
import { findPayment, type PaymentState } from '../../actors/payment/record.ts';
import { createPanelProjector } from '../../actors/proof/panel-projector.ts';
import { createPaymentProjector } from '../../actors/proof/payment-projector.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import { ProofProjector } from '../../actors/proof/proof-projector.ts';
import type { Config } from '../../config.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { EventFeed } from '../../domain/event/event-log.ts';
import { parseCheckpoint } from '../../domain/proof/checkpoint.ts';
import type { ProofKind } from '../../domain/proof/kinds.ts';
import { findSignedAt, parseNote, parseVerifierKey } from '../../domain/proof/note.ts';
import { PANEL_MACHINES } from '../../machines/panel/panels.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { type DurableProofLog, openProofLog } from '../../store/proof/proof-log.ts';
import { COMMERCE_TOOLS } from '../../tools/service/commerce-tools.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { proofRoutes } from '../../transport/proof/proof-routes.ts';
import { systemRandom } from '../server/system.ts';
import { openProofKeys, verifyEd25519 } from './proof-keys.ts';

/** How often a log that has grown is signed, in milliseconds. */
const SIGN_EVERY_MS = MINUTE_MS;
/** Payment states in which no money has moved or ever will. */
const UNPAID_STATES: readonly PaymentState[] = ['refused', 'released', 'failed'];

/** Offers that issue signed statements, with the kind of proof record for each. */
export const STATEMENT_KINDS: Readonly<Record<string, ProofKind>> = {
  ...Object.fromEntries(
    Object.entries(COMMERCE_TOOLS).flatMap(([name, { proof }]) =>
      proof === undefined ? [] : [[name, proof]],
    ),
  ),
  // It is sold over plain HTTP.
  'trust-check': 30017,
};

/** The proof log of a data directory, with its keys. */
export interface OpenProofs {
  readonly log: DurableProofLog;
  readonly verifierKey: string;
  /** Keys that signed the log under its earlier names. */
  readonly retired: readonly string[];
  /** Creates a new HMAC key for future records. Returns its id. */
  rotateKey(): string;
}

/**
 * Opens the proof log with its keys.
 *
 * @param clock - The time of records.
 * @throws {AppError} `CONFIG_INVALID` when a key file is damaged.
 */
export function openProofs(
  { dataDir, publicUrl }: Pick<Config, 'dataDir' | 'publicUrl'>,
  clock: Clock,
): OpenProofs {
  const { mac, signer, verifierKey, retired, rotate } = openProofKeys(dataDir, publicUrl);
  const path = join(dataDir, 'store', 'proofs');
  const log = openProofLog({ path, clock, random: systemRandom, mac, signer });
  return { log, verifierKey, retired, rotateKey: rotate };
}

/**
 * Rejects a key that did not sign the log, because readers would see a contradiction. If a retired
 * key signed it, signs the log again under its new name.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export async function rejectForeignKey(proofs: OpenProofs): Promise<void> {
  const { log, verifierKey, retired } = proofs;
  const written = log.latestCheckpoint();
  const note = written === undefined ? undefined : parseNote(written);
  const key = parseVerifierKey(verifierKey);
  if (note === undefined || key === undefined) return;
  const isSigned = async (by: string): Promise<boolean> => {
    const signer = parseVerifierKey(by);
    return signer !== undefined && (await findSignedAt(note, signer, verifyEd25519)) !== undefined;
  };
  if (await isSigned(verifierKey)) return;
  for (const old of retired) {
    if (!(await isSigned(old))) continue;
    await log.evidence.dropCosignatures();
    await log.checkpoint();
    return;
  }
  throw new AppError('CONFIG_INVALID', {
    message: 'proof-log.json is not the key that signed the proof log. Restore the original file.',
    data: { log: parseCheckpoint(note.text)?.origin ?? null, key: key.name },
  });
}

/** The running proof service. */
export interface RunningProofs {
  readonly routes: readonly FrontRoute[];
  /** Resolves when everything present at startup is recorded. */
  caughtUp(): Promise<void>;
  /** Records and signs the rest. The log stays open. */
  stop(): Promise<void>;
}

/** Records the results of the engine's actors, and signs a log that has grown every minute. */
export function startProofs(
  proofs: OpenProofs,
  services: Pick<Services, 'blobs' | 'engine' | 'notice'> & { readonly events: EventFeed },
  own: {
    /** Further projectors, beside those of payments and panels. */
    readonly projectors: readonly Projector[];
    /** Returns why a record has no anchor yet. */
    readonly anchorReason: () => string;
  },
): RunningProofs {
  const { log, verifierKey } = proofs;
  const { engine, blobs, notice } = services;
  // Signing and retries use real time. Only the records have the time of the actors.
  const clock = systemClock();
  const projectors = [
    createPaymentProjector({ blobs, statementKinds: STATEMENT_KINDS }),
    ...PANEL_MACHINES.map((panel) => createPanelProjector(engine, panel)),
    ...own.projectors,
  ];
  const projector = new ProofProjector({ ...services, log, projectors, clock });
  const sign = async (): Promise<void> => {
    await projector.storeCursor();
    if (log.size > signedSize(log)) await log.checkpoint();
  };
  let cancel = (): void => undefined;
  let signing: Promise<void> = Promise.resolve();
  const scheduleSigning = (): void => {
    cancel = clock.at(clock.now() + SIGN_EVERY_MS, () => {
      signing = sign().catch((thrown: unknown) => notice(`proofs: ${toAppError(thrown).message}`));
      scheduleSigning();
    });
  };
  scheduleSigning();
  const isComing = async (paymentId: string): Promise<boolean> => {
    const payment = await findPayment(engine, paymentId);
    return payment !== undefined && !UNPAID_STATES.includes(payment.state);
  };
  return {
    routes: proofRoutes({ log, verifierKey, clock, isComing, anchorReason: own.anchorReason }),
    caughtUp: () => projector.caughtUp(),
    stop: async () => {
      cancel();
      await signing;
      await projector.stop();
      await sign();
    },
  };
}

function signedSize(log: DurableProofLog): number {
  const note = parseNote(log.latestCheckpoint() ?? '');
  return note === undefined ? 0 : (parseCheckpoint(note.text)?.size ?? 0);
}
