import { AppError } from '../../domain/common/error.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import type { Random } from '../../domain/common/random.ts';
import { toBase64 } from '../../domain/proof/base64.ts';
import { formatCheckpoint, parseCheckpoint } from '../../domain/proof/checkpoint.ts';
import { PROOF_KINDS } from '../../domain/proof/kinds.ts';
import {
  computeConsistencyPath,
  computeInclusionPath,
  computeRoot,
  type EdgeCache,
  type Hash,
} from '../../domain/proof/merkle.ts';
import { formatNote, parseNote } from '../../domain/proof/note.ts';
import type { NewProof, ProofLog, ProofMac, ProofSigner } from '../../domain/proof/proof-log.ts';
import {
  buildMacText,
  hashRecord,
  hashRecordText,
  type ProofPayload,
  type ProofRecord,
  sealPayload,
} from '../../domain/proof/record.ts';
import type { FamilySize } from '../../runtime/engine/ports.ts';
import { Environment, scan } from '../common/environment.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import type { TextTable } from '../common/text-table.ts';
import type { Op } from '../engine/commit-queue.ts';
import { LmdbProofEvidence } from './proof-evidence.ts';
import { ProofTree } from './proof-tree.ts';

const FORMAT = 1;
const SALT_BYTES = 32;
const POSITION = 'position';
const NO_HASH = '0'.repeat(64);
/** Records whose payload `erase` removes per batch. */
const ERASE_BATCH = 1_000;

/** Options of `openProofLog`. */
export interface ProofLogOptions extends EnvironmentOptions {
  readonly clock: { now(): number };
  readonly random: Random;
  readonly mac: ProofMac;
  readonly signer: ProofSigner;
}

/** The proofs of a data directory, with the operations of its owner. */
export interface DurableProofLog extends ProofLog {
  /** Returns rows and bytes of each key family. */
  sizes(): readonly FamilySize[];
  close(): Promise<void>;
}

/**
 * Opens the proof log on disk. Records are never changed or removed.
 *
 * @throws {EngineError} `STORE_NEWER` if a newer program has written to this store.
 * @throws {AppError} `INVARIANT` if the last checkpoint does not match the records.
 */
export function openProofLog(options: ProofLogOptions): DurableProofLog {
  return new LmdbProofLog(options);
}

class LmdbProofLog implements DurableProofLog {
  readonly evidence: LmdbProofEvidence;
  readonly #options: ProofLogOptions;
  readonly #environment: Environment;
  #tree: ProofTree;
  /** Sequence number to record. */
  readonly #records: TextTable;
  /** `[ref, seq]` */
  readonly #refs: TextTable;
  /** Key of a proof to its sequence number. */
  readonly #keys: TextTable;
  /** Size to signed checkpoint. */
  readonly #checkpoints: TextTable;
  /** Sequence number to salt, subject and payload. */
  readonly #payloads: TextTable;
  /** `[subject, seq]` */
  readonly #subjects: TextTable;
  /** One row: how far the event feed has been read. */
  readonly #marks: TextTable;
  readonly #pending = new Map<string, Promise<ProofRecord>>();
  #next: number;
  #onDisk: number;
  #lastHash: string;
  /** The newest signed checkpoint. */
  #latest: string | undefined;
  /** Cached right edge of the tree for the size requested last. */
  #edge: { readonly size: number; readonly hashes: EdgeCache } = { size: 0, hashes: new Map() };
  /** Counts how often the state was reloaded from disk after a failure. */
  #reloads = 0;

  constructor(options: ProofLogOptions) {
    this.#options = options;
    this.#environment = new Environment(options, FORMAT);
    this.#records = this.#environment.openTable('records');
    this.#refs = this.#environment.openTable('refs');
    this.#keys = this.#environment.openTable('keys');
    this.#checkpoints = this.#environment.openTable('checkpoints');
    this.#payloads = this.#environment.openTable('payloads');
    this.#subjects = this.#environment.openTable('subjects');
    this.#marks = this.#environment.openTable('marks');
    this.evidence = new LmdbProofEvidence(this.#environment, this.#checkpoints);
    const { next, lastHash, tree } = this.#readState();
    this.#next = next;
    this.#onDisk = next;
    this.#lastHash = lastHash;
    this.#tree = tree;
    this.#latest = this.#readLatest();
    this.#checkLatest();
  }

  get size(): number {
    return this.#onDisk;
  }

  get position(): number {
    return Number(this.#marks.get(POSITION) ?? 0);
  }

  keepPosition(position: number): Promise<void> {
    return this.#environment.commit([{ db: this.#marks, key: POSITION, text: String(position) }]);
  }

  append(proof: NewProof): Promise<ProofRecord> {
    const known = this.#keys.get(proof.key);
    if (known !== undefined) return Promise.resolve(this.#readKnown(Number(known)));
    const pending = this.#pending.get(proof.key);
    if (pending !== undefined) return pending;
    const written = this.#write(proof).finally(() => this.#pending.delete(proof.key));
    this.#pending.set(proof.key, written);
    return written;
  }

  // Rows of a commit can be read before it reports success. Until then, the log does not have them.
  record(seq: number): ProofRecord | undefined {
    const text = seq < this.#onDisk ? this.#records.get(seq) : undefined;
    return text === undefined ? undefined : JSON.parse(text);
  }

  find(ref: string, limit: number): readonly ProofRecord[] {
    const found: ProofRecord[] = [];
    if (limit <= 0) return found;
    scan(this.#refs, [ref], ([, seq]) => {
      if (Number(seq) >= this.#onDisk) return false;
      return found.push(this.#readKnown(Number(seq))) < limit;
    });
    return found;
  }

  payload(seq: number): ProofPayload | undefined {
    const text = this.#payloads.get(seq);
    return text === undefined ? undefined : JSON.parse(text);
  }

  root(size: number): Hash {
    this.#assertWithin(size);
    return computeRoot(size, this.#tree.read, this.#cachedEdge(size));
  }

  inclusion(seq: number, size: number): readonly Hash[] {
    this.#assertWithin(size);
    if (seq >= size) throw outOfRangeError(seq, size);
    return computeInclusionPath(seq, size, this.#tree.read, this.#cachedEdge(size));
  }

  consistency(older: number, newer: number): readonly Hash[] {
    this.#assertWithin(newer);
    if (older > newer) throw outOfRangeError(older, newer);
    return computeConsistencyPath(older, newer, this.#tree.read, this.#cachedEdge(newer));
  }

  tile(level: number, index: number): readonly Hash[] {
    return this.#tree.tile(level, index, this.#onDisk);
  }

  async checkpoint(): Promise<string> {
    const size = this.#onDisk;
    const { origin, keyId, sign } = this.#options.signer;
    const text = formatCheckpoint({ origin, size, root: this.root(size) });
    const known = this.#checkpoints.get(size);
    // A checkpoint with another name was signed before the log got its current name.
    if (known !== undefined && parseNote(known)?.text === text) return known;
    const signature = sign(new TextEncoder().encode(text));
    const note = formatNote({ text, signatures: [{ name: origin, keyId, signature }] });
    await this.#environment.commit([{ db: this.#checkpoints, key: size, text: note }]);
    this.#latest = this.#readLatest();
    return note;
  }

  latestCheckpoint(): string | undefined {
    return this.#latest;
  }

  #readLatest(): string | undefined {
    for (const { value } of this.#checkpoints.getRange({ reverse: true, limit: 1 })) return value;
    return undefined;
  }

  async erase(subject: string): Promise<number> {
    // Wallets can be written in either case; older rows have the case that was submitted.
    const forms = new Set([subject, subject.toLowerCase()]);
    let erased = 0;
    for (const form of forms) erased += await this.#eraseExactly(form);
    return erased;
  }

  async #eraseExactly(subject: string): Promise<number> {
    let erased = 0;
    for (;;) {
      const ops: Op[] = [];
      scan(this.#subjects, [subject], ([, seq]) => {
        ops.push({ db: this.#payloads, key: Number(seq) });
        ops.push({ db: this.#subjects, key: [subject, Number(seq)] });
        return ops.length < 2 * ERASE_BATCH;
      });
      if (ops.length === 0) return erased;
      await this.#environment.commit(ops);
      erased += ops.length / 2;
    }
  }

  sizes(): readonly FamilySize[] {
    return this.#environment.sizes();
  }

  close(): Promise<void> {
    return this.#environment.close();
  }

  async #write(proof: NewProof): Promise<ProofRecord> {
    const { clock, random } = this.#options;
    const salt = toHex(random.bytes(SALT_BYTES));
    const { key, kind, ref, subject, payload } = proof;
    const sealed = sealPayload({ salt, subject, payload });
    const seq = this.#next;
    const record = this.#addHmac({
      v: 1,
      kind,
      kind_name: PROOF_KINDS[kind].name,
      seq,
      at: new Date(clock.now()).toISOString(),
      ref,
      ...sealed.hashes,
      prev_hash: this.#lastHash,
    });
    const text = canonicalJson(record);
    const leaf = hashRecordText(text);
    const hashes = this.#tree.addLeaf(leaf);
    this.#next = seq + 1;
    this.#lastHash = toHex(leaf);
    const reloads = this.#reloads;
    const committed = this.#environment.commit([
      { db: this.#records, key: seq, text },
      { db: this.#refs, key: [ref, seq], text: '' },
      { db: this.#keys, key, text: String(seq) },
      { db: this.#payloads, key: seq, text: sealed.text },
      { db: this.#subjects, key: [subject.toLowerCase(), seq], text: '' },
      ...hashes,
    ]);
    try {
      await committed;
    } catch (thrown) {
      this.#reload(reloads);
      throw thrown;
    }
    this.#tree.markWritten(hashes);
    this.#onDisk = Math.max(this.#onDisk, seq + 1);
    return record;
  }

  /** Reads the end of the records on disk. */
  #readState() {
    const last = this.#readLast();
    const next = last === undefined ? 0 : last.seq + 1;
    const lastHash = last === undefined ? NO_HASH : toHex(hashRecord(last));
    return { next, lastHash, tree: new ProofTree(this.#environment.openTable('hashes'), next) };
  }

  /**
   * Reloads the state from disk after a failed commit, once for all records that failed with it.
   * Records appended since then build on the reloaded state.
   */
  #reload(turn: number): void {
    if (turn !== this.#reloads) return;
    this.#reloads += 1;
    const { next, lastHash, tree } = this.#readState();
    this.#next = next;
    this.#lastHash = lastHash;
    this.#tree = tree;
  }

  #addHmac(unsigned: Omit<ProofRecord, 'hmac'>): ProofRecord {
    const { mac } = this.#options;
    const value = mac.mac(mac.kid, buildMacText(unsigned));
    if (value === undefined) {
      throw new AppError('INVARIANT', { message: `The HMAC key ${mac.kid} is missing.` });
    }
    return { ...unsigned, hmac: { kid: mac.kid, value } };
  }

  /** A log must never contradict what it has signed, whatever happened to its files. */
  #checkLatest(): void {
    const signed = this.latestCheckpoint();
    if (signed === undefined) return;
    const latest = parseCheckpoint(parseNote(signed)?.text ?? '');
    const isConsistent =
      latest !== undefined &&
      latest.size <= this.#next &&
      toBase64(computeRoot(latest.size, this.#tree.read)) === toBase64(latest.root);
    if (isConsistent) return;
    throw new AppError('INVARIANT', {
      message: 'The proof log does not match its last signed checkpoint.',
      data: { records: this.#next, signed: latest?.size ?? null },
    });
  }

  #cachedEdge(size: number): EdgeCache {
    if (this.#edge.size !== size) this.#edge = { size, hashes: new Map() };
    return this.#edge.hashes;
  }

  #readLast(): ProofRecord | undefined {
    for (const { value } of this.#records.getRange({ reverse: true, limit: 1 })) {
      return JSON.parse(value);
    }
    return undefined;
  }

  #readKnown(seq: number): ProofRecord {
    const record = this.record(seq);
    if (record === undefined) {
      throw new AppError('INVARIANT', { message: `Record ${seq} is missing.` });
    }
    return record;
  }

  #assertWithin(size: number): void {
    if (size > this.#onDisk) throw outOfRangeError(size, this.#onDisk);
  }
}

function outOfRangeError(received: number, allowed: number): AppError {
  return new AppError('INPUT_INVALID', {
    message: `The log has ${allowed} records.`,
    data: { received, allowed },
  });
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
