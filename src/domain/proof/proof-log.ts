import type { JsonObject } from '../common/json.ts';
import type { ProofKind } from './kinds.ts';
import type { Hash } from './merkle.ts';
import type { ProofPayload, ProofRecord } from './record.ts';

/** Something to be proven. */
export interface NewProof {
  readonly kind: ProofKind;
  /** A repeat with the same key gives the first record. */
  readonly key: string;
  /** What it is found by; published. */
  readonly ref: string;
  /** Whom it is about: what `erase` is asked for. */
  readonly subject: string;
  readonly payload: JsonObject;
}

/** The append-only log of proofs. */
export interface ProofLog {
  /** Records on disk. */
  readonly size: number;
  /** How far the feed of events has been turned into records; 0 at first. See `keepPosition`. */
  readonly position: number;
  /** What others say of the log: anchors on a chain, and cosignatures of witnesses. */
  readonly evidence: ProofEvidence;
  /** Keeps a position, once the records of everything before it are on disk. */
  keepPosition(position: number): Promise<void>;
  /** Resolves when the disk has the record. */
  append(proof: NewProof): Promise<ProofRecord>;
  record(seq: number): ProofRecord | undefined;
  /** Records that are found by a reference, the oldest first; at most `limit`. */
  find(ref: string, limit: number): readonly ProofRecord[];
  /** What a record stands for; `undefined` once it is erased. */
  payload(seq: number): ProofPayload | undefined;
  /** Root of the first `size` records. */
  root(size: number): Hash;
  inclusion(seq: number, size: number): readonly Hash[];
  consistency(older: number, newer: number): readonly Hash[];
  /** Hashes of a tile of C2SP `tlog-tiles`: at most 256, as many as the log has. */
  tile(level: number, index: number): readonly Hash[];
  /**
   * Signs what the log is now, and keeps the signed text before anyone sees it. The same size gives
   * the same text.
   */
  checkpoint(): Promise<string>;
  /** The newest signed text; `undefined` before the first. */
  latestCheckpoint(): string | undefined;
  /** Removes what records about a subject stand for; returns how many. The records stay. */
  erase(subject: string): Promise<number>;
}

/** A confirmed anchor of the log on a chain. */
export interface ProofAnchor {
  /** Records that the anchored root covers. */
  readonly size: number;
  /** 32 bytes in hex. */
  readonly root: string;
  readonly transaction: string;
  readonly block: number;
  readonly chain_id: number;
  readonly contract: string;
  /** Account of the log in the contract, in lower case. */
  readonly account: string;
  /** When it was seen confirmed; RFC 3339, in UTC. */
  readonly seen_at: string;
}

/** What others say of the log. Everything is on disk when its promise resolves. */
export interface ProofEvidence {
  /** The signed text of one size, as it was first published; `undefined` when it never was. */
  checkpointOf(size: number): string | undefined;
  /** Safe to repeat. */
  keepAnchor(anchor: ProofAnchor): Promise<void>;
  /** Forgets anchors of larger sizes than a chain has; returns how many there were. */
  dropAnchors(above: number): Promise<number>;
  /** The first anchor that covers a record. */
  anchorOver(seq: number): ProofAnchor | undefined;
  latestAnchor(): ProofAnchor | undefined;
  /** Keeps a checked cosignature line of a witness. The first one for a size and witness stays. */
  keepCosignature(size: number, witness: string, line: string): Promise<void>;
  /** Forgets what witnesses have signed of a log that goes on under another name. */
  dropCosignatures(): Promise<void>;
  /** Cosignature lines for a checkpoint, by name of witness. */
  cosignatures(size: number): readonly string[];
  /** The newest size that a witness has cosigned. */
  latestCosigned(): number | undefined;
}

/** Makes and checks the HMAC of records. Old keys stay to check old records. */
export interface ProofMac {
  /** Id of the key that new records get; a rotation changes it. */
  readonly kid: string;
  /** HMAC-SHA256 in hex; `undefined` for a key that is not known. */
  mac(kid: string, text: string): string | undefined;
}

/** Signs checkpoints. */
export interface ProofSigner {
  /** Name of the log and of its key. */
  readonly origin: string;
  readonly keyId: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}
