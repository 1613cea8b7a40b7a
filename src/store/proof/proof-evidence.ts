import type { ProofAnchor, ProofEvidence } from '../../domain/proof/proof-log.ts';
import { type Environment, scan } from '../common/environment.ts';
import type { TextTable } from '../common/text-table.ts';

/** Anchors and cosignatures, in the environment of their log. */
export class LmdbProofEvidence implements ProofEvidence {
  readonly #environment: Environment;
  readonly #checkpoints: TextTable;
  /** Size to anchor. */
  readonly #anchors: TextTable;
  /** `[size, witness]` to signature line. */
  readonly #cosignatures: TextTable;
  /** Cached, because every read needs it. */
  #latestAnchor: ProofAnchor | undefined;
  #latestCosigned: number | undefined;
  #lines: { readonly size: number; readonly lines: readonly string[] } | undefined;

  constructor(environment: Environment, checkpoints: TextTable) {
    this.#environment = environment;
    this.#checkpoints = checkpoints;
    this.#anchors = environment.openTable('anchors');
    this.#cosignatures = environment.openTable('cosignatures');
    this.#latestAnchor = this.#readLatestAnchor();
    this.#latestCosigned = this.#readLatestCosigned();
  }

  checkpointOf(size: number): string | undefined {
    return this.#checkpoints.get(size);
  }

  async storeAnchor(anchor: ProofAnchor): Promise<void> {
    const text = JSON.stringify(anchor);
    await this.#environment.commit([{ db: this.#anchors, key: anchor.size, text }]);
    this.#latestAnchor = this.#readLatestAnchor();
  }

  async dropAnchors(above: number): Promise<number> {
    const dropped = [...this.#anchors.getRange({ start: above + 1 })];
    if (dropped.length === 0) return 0;
    await this.#environment.commit(dropped.map(({ key }) => ({ db: this.#anchors, key })));
    this.#latestAnchor = this.#readLatestAnchor();
    return dropped.length;
  }

  findAnchorOf(seq: number): ProofAnchor | undefined {
    if (seq >= (this.#latestAnchor?.size ?? 0)) return undefined;
    for (const { value } of this.#anchors.getRange({ start: seq + 1, limit: 1 })) {
      return JSON.parse(value);
    }
    return undefined;
  }

  latestAnchor(): ProofAnchor | undefined {
    return this.#latestAnchor;
  }

  #readLatestAnchor(): ProofAnchor | undefined {
    for (const { value } of this.#anchors.getRange({ reverse: true, limit: 1 })) {
      return JSON.parse(value);
    }
    return undefined;
  }

  async storeCosignature(size: number, witness: string, line: string): Promise<void> {
    const key = [size, witness];
    if (this.#cosignatures.get(key) !== undefined) return;
    await this.#environment.commit([{ db: this.#cosignatures, key, text: line }]);
    this.#latestCosigned = this.#readLatestCosigned();
    this.#lines = undefined;
  }

  async dropCosignatures(): Promise<void> {
    const ops = [...this.#cosignatures.getKeys()].map((key) => ({ db: this.#cosignatures, key }));
    await this.#environment.commit(ops);
    this.#latestCosigned = undefined;
    this.#lines = undefined;
  }

  cosignatures(size: number): readonly string[] {
    if (this.#lines?.size === size) return this.#lines.lines;
    const lines: string[] = [];
    scan(this.#cosignatures, [size], (_key, line) => lines.push(line) > 0);
    this.#lines = { size, lines };
    return lines;
  }

  latestCosigned(): number | undefined {
    return this.#latestCosigned;
  }

  #readLatestCosigned(): number | undefined {
    for (const { key } of this.#cosignatures.getRange({ reverse: true, limit: 1 })) {
      return Number(Array.isArray(key) ? key[0] : key);
    }
    return undefined;
  }
}
