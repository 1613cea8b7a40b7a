import type { JsonObject } from '../common/json.ts';
import type { ProofKind } from './kinds.ts';
import type { Hash } from './merkle.ts';
import type { ProofPayload, ProofRecord } from './record.ts';

/** A fact to be proven. */
export interface NewProof {
  readonly kind: ProofKind;
  /** Idempotency key. A repeat returns the first record. */
  readonly key: string;
  /** Public reference by which the proof is found. */
  readonly ref: string;
  /** The subject, for `erase`. */
  readonly subject: string;
  readonly payload: JsonObject;
}

/** The append-only log of proofs. */
export interface ProofLog {
  /** Number of records on disk. */
  readonly size: number;
  /** Position in the event feed up to which records exist; initially 0. See `keepPosition`. */
  readonly position: number;
  /** External evidence: chain anchors and cosignatures of witnesses. */
  readonly evidence: ProofEvidence;
  /** Stores a feed position after the records of everything before it are on disk. */
  keepPosition(position: number): Promise<void>;
  /** Resolves when the record is on disk. */
  append(proof: NewProof): Promise<ProofRecord>;
  record(seq: number): ProofRecord | undefined;
  /** Returns up to `limit` records of a reference, oldest first. */
  find(ref: string, limit: number): readonly ProofRecord[];
  /** Returns the payload of a record; `undefined` after its erasure. */
  payload(seq: number): ProofPayload | undefined;
  /** Returns the root of the first `size` records. */
  root(size: number): Hash;
  inclusion(seq: number, size: number): readonly Hash[];
  consistency(older: number, newer: number): readonly Hash[];
  /** Returns the hashes of a C2SP `tlog-tiles` tile: up to 256. */
  tile(level: number, index: number): readonly Hash[];
  /**
   * Signs the current state of the log and stores the signed text before it is published. The same
   * size always gives the same text.
   */
  checkpoint(): Promise<string>;
  /** Returns the latest signed text; `undefined` before the first. */
  latestCheckpoint(): string | undefined;
  /**
   * Deletes the payloads of records about a subject and returns their number. The records remain.
   */
  erase(subject: string): Promise<number>;
}

/** A confirmed anchor of the log on a chain. */
export interface ProofAnchor {
  /** Number of records that the anchored root covers. */
  readonly size: number;
  /** 32 bytes in hex. */
  readonly root: string;
  readonly transaction: string;
  readonly block: number;
  readonly chain_id: number;
  readonly contract: string;
  /** Account of the log in the contract, in lower case. */
  readonly account: string;
  /** Time at which the confirmation was observed; RFC 3339 in UTC. */
  readonly seen_at: string;
}

/** External evidence about the log. All writes are on disk when their promises resolve. */
export interface ProofEvidence {
  /** Returns the first published checkpoint of one size; `undefined` if there is none. */
  checkpointOf(size: number): string | undefined;
  /** Idempotent. */
  storeAnchor(anchor: ProofAnchor): Promise<void>;
  /** Deletes anchors beyond the size on the chain and returns their number. */
  dropAnchors(above: number): Promise<number>;
  /** Returns the first anchor that covers a record. */
  findAnchorOf(seq: number): ProofAnchor | undefined;
  latestAnchor(): ProofAnchor | undefined;
  /** Stores a verified cosignature line. The first one per size and witness is kept. */
  storeCosignature(size: number, witness: string, line: string): Promise<void>;
  /** Deletes all cosignatures, for a log that continues under another name. */
  dropCosignatures(): Promise<void>;
  /** Returns the cosignature lines of a checkpoint, by name of witness. */
  cosignatures(size: number): readonly string[];
  /** Returns the latest size that a witness has cosigned. */
  latestCosigned(): number | undefined;
}

/** Computes and verifies the HMAC of records. Old keys remain to verify old records. */
export interface ProofMac {
  /** Id of the key for new records; a rotation changes it. */
  readonly kid: string;
  /** Returns the HMAC-SHA256 in hex; `undefined` for an unknown key. */
  mac(kid: string, text: string): string | undefined;
}

/** Signs checkpoints. */
export interface ProofSigner {
  /** Name of the log and of its key. */
  readonly origin: string;
  readonly keyId: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}
