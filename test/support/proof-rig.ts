import { join } from 'node:path';
import type { EventFeed } from '../../src/domain/event/event-log.ts';
import { openProofKeys, type ProofKeys } from '../../src/process/proof/proof-keys.ts';
import { systemRandom } from '../../src/process/server/system.ts';
import { openTrustStore } from '../../src/store/chain/trust-store.ts';
import { type DurableProofLog, openProofLog } from '../../src/store/proof/proof-log.ts';
import { tempDir } from './temp-dir.ts';

/** A log of proofs in a folder of its own, with real keys. */
export interface ProofRig {
  readonly folder: string;
  readonly keys: ProofKeys;
  readonly log: DurableProofLog;
  /** The public feed, in the same folder. */
  readonly events: EventFeed;
  close(): Promise<void>;
}

/** Opens a log of proofs; `close` removes it. */
export function proofRig(now: () => number = () => Date.UTC(2026, 0, 1)): ProofRig {
  const { path, remove } = tempDir();
  const keys = openProofKeys(path, undefined);
  const { mac, signer } = keys;
  const place = join(path, 'proofs');
  const log = openProofLog({ path: place, clock: { now }, random: systemRandom, mac, signer });
  const trust = openTrustStore({ path: join(path, 'trust') });
  const close = async (): Promise<void> => {
    await log.close();
    await trust.close();
    remove();
  };
  return { folder: path, keys, log, events: trust.events, close };
}

/** Waits until a claim holds, in real time; at most five seconds. */
export async function soon(claim: () => boolean): Promise<void> {
  for (let tries = 0; !claim(); tries += 1) {
    if (tries === 12_000) throw new Error('waited too long');
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** What opens a log that is given nothing to record. */
export const NO_PROOFS = {
  clock: { now: () => 0 },
  random: systemRandom,
  mac: { kid: 'none', mac: () => undefined },
  signer: { origin: 'none', keyId: new Uint8Array(4), sign: () => new Uint8Array(64) },
};
