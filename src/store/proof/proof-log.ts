import { AppError } from '../../domain/common/error.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import type { Random } from '../../domain/common/random.ts';
import { toBase64 } from '../../domain/proof/base64.ts';
import { parseCheckpoint, writeCheckpoint } from '../../domain/proof/checkpoint.ts';
import { PROOF_KINDS } from '../../domain/proof/kinds.ts';
import {
  consistencyPath,
  type Edge,
  type Hash,
  inclusionPath,
  rootOf,
} from '../../domain/proof/merkle.ts';
import { parseNote, writeNote } from '../../domain/proof/note.ts';
import type { NewProof, ProofLog, ProofMac, ProofSigner } from '../../domain/proof/proof-log.ts';
import {
  macText,
  type ProofPayload,
  type ProofRecord,
  recordHash,
  sealPayload,
  textHash,
} from '../../domain/proof/record.ts';
import type { FamilySize } from '../../runtime/engine/ports.ts';
import { Environment, scan } from '../common/environment.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import type { Texts } from '../common/table.ts';
import type { Op } from '../engine/commit-line.ts';
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
  readonly #records: Texts;
  /** `[ref, seq]` */
  readonly #refs: Texts;
  /** Key of a proof to its sequence number. */
  readonly #keys: Texts;
  /** Size to signed checkpoint. */
  readonly #checkpoints: Texts;
  /** Sequence number to salt, subject and payload. */
  readonly #payloads: Texts;
  /** `[subject, seq]` */
  readonly #subjects: Texts;
  /** One row: how far the event feed has been read. */
  readonly #marks: Texts;
  readonly #open = new Map<string, Promise<ProofRecord>>();
  #next: number;
  #onDisk: number;
  #lastHash: string;
  /** The newest signed checkpoint. */
  #latest: string | undefined;
  /** Cached right edge of the tree for the size requested last. */
  #edge: { readonly size: number; readonly hashes: Edge } = { size: 0, hashes: new Map() };
  /** Counts how often the state was reloaded from disk after a failure. */
  #turn = 0;

  constructor(options: ProofLogOptions) {
    this.#options = options;
    this.#environment = new Environment(options, FORMAT);
    this.#records = this.#environment.texts('records');
    this.#refs = this.#environment.texts('refs');
    this.#keys = this.#environment.texts('keys');
    this.#checkpoints = this.#environment.texts('checkpoints');
    this.#payloads = this.#environment.texts('payloads');
    this.#subjects = this.#environment.texts('subjects');
    this.#marks = this.#environment.texts('marks');
    this.evidence = new LmdbProofEvidence(this.#environment, this.#checkpoints);
    const { next, lastHash, tree } = this.#fromDisk();
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
    if (known !== undefined) return Promise.resolve(this.#known(Number(known)));
    const open = this.#open.get(proof.key);
    if (open !== undefined) return open;
    const written = this.#write(proof).finally(() => this.#open.delete(proof.key));
    this.#open.set(proof.key, written);
    return written;
  }

  record(seq: number): ProofRecord | undefined {
    const text = this.#records.get(seq);
    return text === undefined ? undefined : JSON.parse(text);
  }

  find(ref: string, limit: number): readonly ProofRecord[] {
    const found: ProofRecord[] = [];
    if (limit <= 0) return found;
    scan(this.#refs, [ref], ([, seq]) => found.push(this.#known(Number(seq))) < limit);
    return found;
  }

  payload(seq: number): ProofPayload | undefined {
    const text = this.#payloads.get(seq);
    return text === undefined ? undefined : JSON.parse(text);
  }

  root(size: number): Hash {
    this.#refuseBeyond(size);
    return rootOf(size, this.#tree.read, this.#edgeOf(size));
  }

  inclusion(seq: number, size: number): readonly Hash[] {
    this.#refuseBeyond(size);
    if (seq >= size) throw beyond(seq, size);
    return inclusionPath(seq, size, this.#tree.read, this.#edgeOf(size));
  }

  consistency(older: number, newer: number): readonly Hash[] {
    this.#refuseBeyond(newer);
    if (older > newer) throw beyond(older, newer);
    return consistencyPath(older, newer, this.#tree.read, this.#edgeOf(newer));
  }

  tile(level: number, index: number): readonly Hash[] {
    return this.#tree.tile(level, index, this.#onDisk);
  }

  async checkpoint(): Promise<string> {
    const size = this.#onDisk;
    const { origin, keyId, sign } = this.#options.signer;
    const text = writeCheckpoint({ origin, size, root: this.root(size) });
    const known = this.#checkpoints.get(size);
    // A checkpoint with another name was signed before the log got its current name.
    if (known !== undefined && parseNote(known)?.text === text) return known;
    const signature = sign(new TextEncoder().encode(text));
    const note = writeNote({ text, signatures: [{ name: origin, keyId, signature }] });
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
    const salt = hexOf(random.bytes(SALT_BYTES));
    const { key, kind, ref, subject, payload } = proof;
    const apart = sealPayload({ salt, subject, payload });
    const seq = this.#next;
    const record = this.#sealed({
      v: 1,
      ...{ kind, kind_name: PROOF_KINDS[kind], seq, at: new Date(clock.now()).toISOString(), ref },
      ...apart.hashes,
      prev_hash: this.#lastHash,
    });
    const text = canonicalJson(record);
    const leaf = textHash(text);
    const hashes = this.#tree.grow(leaf);
    this.#next = seq + 1;
    this.#lastHash = hexOf(leaf);
    const turn = this.#turn;
    const kept = this.#environment.commit([
      { db: this.#records, key: seq, text },
      { db: this.#refs, key: [ref, seq], text: '' },
      { db: this.#keys, key, text: String(seq) },
      { db: this.#payloads, key: seq, text: apart.text },
      { db: this.#subjects, key: [subject.toLowerCase(), seq], text: '' },
      ...hashes,
    ]);
    try {
      await kept;
    } catch (thrown) {
      this.#takeUp(turn);
      throw thrown;
    }
    this.#tree.settled(hashes);
    this.#onDisk = Math.max(this.#onDisk, seq + 1);
    return record;
  }

  /** Reads the end of the records on disk. */
  #fromDisk() {
    const last = this.#last();
    const next = last === undefined ? 0 : last.seq + 1;
    const lastHash = last === undefined ? NO_HASH : hexOf(recordHash(last));
    return { next, lastHash, tree: new ProofTree(this.#environment.texts('hashes'), next) };
  }

  /**
   * Reloads the state from disk after a failed commit, once for all records that failed with it.
   * Records appended since then build on the reloaded state.
   */
  #takeUp(turn: number): void {
    if (turn !== this.#turn) return;
    this.#turn += 1;
    const { next, lastHash, tree } = this.#fromDisk();
    this.#next = next;
    this.#lastHash = lastHash;
    this.#tree = tree;
  }

  #sealed(open: Omit<ProofRecord, 'hmac'>): ProofRecord {
    const { mac } = this.#options;
    const value = mac.mac(mac.kid, macText(open));
    if (value === undefined) {
      throw new AppError('INVARIANT', { message: `The HMAC key ${mac.kid} is missing.` });
    }
    return { ...open, hmac: { kid: mac.kid, value } };
  }

  /** A log must never contradict what it has signed, whatever happened to its files. */
  #checkLatest(): void {
    const signed = this.latestCheckpoint();
    if (signed === undefined) return;
    const latest = parseCheckpoint(parseNote(signed)?.text ?? '');
    const fits =
      latest !== undefined &&
      latest.size <= this.#next &&
      toBase64(rootOf(latest.size, this.#tree.read)) === toBase64(latest.root);
    if (fits) return;
    throw new AppError('INVARIANT', {
      message: 'The proof log does not match its last signed checkpoint.',
      data: { records: this.#next, signed: latest?.size ?? null },
    });
  }

  #edgeOf(size: number): Edge {
    if (this.#edge.size !== size) this.#edge = { size, hashes: new Map() };
    return this.#edge.hashes;
  }

  #last(): ProofRecord | undefined {
    for (const { value } of this.#records.getRange({ reverse: true, limit: 1 })) {
      return JSON.parse(value);
    }
    return undefined;
  }

  #known(seq: number): ProofRecord {
    const record = this.record(seq);
    if (record === undefined) {
      throw new AppError('INVARIANT', { message: `Record ${seq} is missing.` });
    }
    return record;
  }

  #refuseBeyond(size: number): void {
    if (size > this.#onDisk) throw beyond(size, this.#onDisk);
  }
}

function beyond(received: number, allowed: number): AppError {
  return new AppError('INPUT_INVALID', {
    message: `The log has ${allowed} records.`,
    data: { received, allowed },
  });
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
