import { defineSeal } from '../../src/actors/attestation/seal-definition.ts';
import type { SealDeps } from '../../src/actors/attestation/seals.ts';
import { sha256Hex } from '../../src/domain/common/hash.ts';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import type { ActorEngine } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { type ProofRig, proofRig } from './proof-rig.ts';

/** Seals over an engine in memory and a real log of proofs. */
export interface SealWorld {
  readonly clock: SimulatedClock;
  readonly rig: ProofRig;
  readonly seals: SealDeps;
  /** Ends the process and begins the next one on the same store. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a world of seals. */
export async function sealWorld(): Promise<SealWorld> {
  const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
  const rig = proofRig(() => clock.now());
  const store = memoryStore();
  let engine: ActorEngine;
  const begin = async () => {
    engine = await createEngine({ store, clock, definitions: [defineSeal()] });
  };
  await begin();
  const world = {
    clock,
    rig,
    get seals(): SealDeps {
      const capabilityOf = (id: string) => `cap_${sha256Hex(`secret ${id}`)}`;
      return { engine, proofs: rig.log, clock, capabilityOf };
    },
    restart: async () => {
      await engine.close();
      await begin();
    },
    close: async () => {
      await engine.close();
      await rig.close();
    },
  };
  return world;
}

/** The id of a payment. */
export function paymentIdOf(n: number): string {
  return `pay_${n.toString(16).padStart(64, '0')}`;
}
