import { createPaymentEraser } from '../../actors/payment/erase.ts';
import { Anchorer } from '../../actors/proof/anchorer.ts';
import { createActorEraser } from '../../actors/proof/erase-actors.ts';
import { eraseSubject } from '../../actors/proof/erase-subject.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Erasable } from '../../domain/common/erasable.ts';
import { AppError } from '../../domain/common/error.ts';
import type { PaymentIds } from '../../domain/payment/payment-ids.ts';
import type { VerifierKey } from '../../domain/proof/note.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { cosignatureRoute } from '../../transport/proof/cosignature-route.ts';
import { operatorRoutes } from '../../transport/proof/operator-routes.ts';
import { verifyEd25519 } from './proof-keys.ts';
import type { OpenProofs } from './proofs.ts';

/** The dependencies of evidence. */
export interface EvidenceDeps {
  readonly proofs: OpenProofs;
  readonly engine: ActorEngine;
  readonly ids: PaymentIds;
  readonly trust: TrustChain;
  readonly chainId: number;
  /** The clock of the actors. */
  readonly clock: Clock;
  /** How often a log that has grown is anchored, in milliseconds. */
  readonly anchorEveryMs: number;
  /** The witnesses whose cosignatures are accepted. */
  readonly witnesses: readonly VerifierKey[];
  /** Further stores with personal data. */
  readonly erasables: readonly Erasable[];
  readonly notice: (line: string) => void;
}

/** The routes and controls of a log's external evidence. */
export interface Evidence {
  readonly routes: readonly FrontRoute[];
  /** Returns why a record has no anchor yet. */
  anchorReason(): string;
  /** Anchors the current log. Absent when the chain has no anchor contract. */
  readonly anchorNow: (() => Promise<unknown>) | undefined;
  stop(): Promise<void>;
}

/** Starts to anchor the log, to accept witness cosignatures, and to serve the operator. */
export function openEvidence(parts: EvidenceDeps): Evidence {
  const { proofs, engine, trust, chainId, anchorEveryMs, witnesses, notice } = parts;
  const { log } = proofs;
  // Anchors and cosignatures use real time, as checkpoint signing does.
  const clock = systemClock();
  const isAnchored = trust.contracts.anchor !== null;
  const anchorer = isAnchored
    ? new Anchorer({ log, chain: trust, chainId, clock, everyMs: anchorEveryMs, notice })
    : undefined;
  const erasables = [
    createProofEraser(log),
    createPaymentEraser(engine, log, parts.ids),
    createActorEraser({ engine, clock: parts.clock, kinds: ERASABLE_KINDS }),
    ...parts.erasables,
  ];
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
    stop: async () => anchorer?.stop(),
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
