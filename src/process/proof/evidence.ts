import { createPaymentEraser } from '../../actors/payment/erase.ts';
import { Anchorer } from '../../actors/proof/anchorer.ts';
import { createActorEraser } from '../../actors/proof/erase-actors.ts';
import { eraseSubject } from '../../actors/proof/erase-subject.ts';
import type { Erasable } from '../../domain/common/erasable.ts';
import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import { parseWitnessKeys } from '../../domain/proof/cosign.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { openPaymentIds } from '../../store/payment/payment-ids.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { cosignatureRoute } from '../../transport/proof/cosignature-route.ts';
import { operatorRoutes } from '../../transport/proof/operator-routes.ts';
import type { ServerServices } from '../server/services.ts';
import { verifyEd25519 } from './proof-keys.ts';

/** How often a log that has grown is anchored. More often on the local chain, which is free. */
const ANCHOR_EVERY_MS = { local: 10 * MINUTE_MS, others: 60 * MINUTE_MS } as const;

/** The routes and controls of a log's external evidence. */
export interface Evidence {
  readonly routes: readonly FrontRoute[];
  /** Returns why a record has no anchor yet. */
  anchorReason(): string;
  /** Anchors the current log. Absent when the chain has no anchor contract. */
  readonly anchorNow: (() => Promise<unknown>) | undefined;
}

/**
 * Starts to anchor the log, to accept witness cosignatures, and to serve the operator.
 *
 * @param others - Further stores with personal data.
 */
export function openEvidence(
  services: Pick<
    ServerServices,
    'chain' | 'clock' | 'closers' | 'config' | 'engine' | 'notice' | 'store' | 'trust'
  >,
  others: readonly Erasable[],
): Evidence {
  const { config, engine, store, trust } = services;
  const { proofs } = store;
  const { log } = proofs;
  // Anchors and cosignatures use real time, as checkpoint signing does.
  const clock = systemClock();
  const { chainId, isLocal } = services.chain.facts;
  const everyMs = config.anchorEveryMs ?? ANCHOR_EVERY_MS[isLocal ? 'local' : 'others'];
  const isAnchored = trust.contracts.anchor !== null;
  const anchorer = isAnchored
    ? new Anchorer({ ...services, log, chainId, clock, everyMs })
    : undefined;
  services.closers.add(async () => anchorer?.stop());
  const erasables = [
    createProofEraser(log),
    createPaymentEraser(engine, log, openPaymentIds(store.trust)),
    createActorEraser({ ...services, kinds: ERASABLE_KINDS }),
    ...others,
  ];
  const witnesses = parseWitnessKeys(config.witnessKeys);
  return {
    routes: [
      cosignatureRoute({ log, clock, witnesses, verify: verifyEd25519 }),
      ...operatorRoutes({
        anchor: async () => {
          if (anchorer === undefined) throw noContract();
          return anchorer.anchorNow();
        },
        rotateKey: async () => ({ kid: proofs.rotateKey() }),
        erase: (subject) => eraseSubject(erasables, subject),
      }),
    ],
    anchorReason: () => anchorer?.reason ?? NO_CONTRACT,
    anchorNow: anchorer === undefined ? undefined : () => anchorer.anchorNow(),
  };
}

/** Kinds whose finished actors are erased. Seals remain, because a used seal must stay used. */
const ERASABLE_KINDS = ['request', 'job', 'alert', 'notice', 'webhook', 'report'] as const;

/** Returns the eraser of record payloads. The records themselves remain. */
export function createProofEraser(log: ProofLog): Erasable {
  return { store: 'proofs', erase: (subject) => log.erase(subject) };
}

const NO_CONTRACT = 'This chain has no anchor contract (STOA_ANCHOR_ADDRESS).';

function noContract(): AppError {
  return new AppError('NOT_CONFIGURED', { message: NO_CONTRACT });
}
