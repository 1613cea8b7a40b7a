import type { ProofAnchor, ProofEvidence } from '../domain/ports/proof-log.ts';
import { type Environment, scan } from './environment.ts';
import type { Texts } from './table.ts';

/** Anchors and cosignatures, in the environment of the log that they are about. */
export class LmdbProofEvidence implements ProofEvidence {
  readonly #environment: Environment;
  readonly #checkpoints: Texts;
  /** Size to anchor. */
  readonly #anchors: Texts;
  /** `[size, witness]` to signature line. */
  readonly #cosignatures: Texts;

  constructor(environment: Environment, checkpoints: Texts) {
    this.#environment = environment;
    this.#checkpoints = checkpoints;
    this.#anchors = environment.texts('anchors');
    this.#cosignatures = environment.texts('cosignatures');
  }

  checkpointOf(size: number): string | undefined {
    return this.#checkpoints.get(size);
  }

  keepAnchor(anchor: ProofAnchor): Promise<void> {
    const text = JSON.stringify(anchor);
    return this.#environment.commit([{ db: this.#anchors, key: anchor.size, text }]);
  }

  async dropAnchors(above: number): Promise<number> {
    const gone = [...this.#anchors.getRange({ start: above + 1 })];
    if (gone.length === 0) return 0;
    await this.#environment.commit(gone.map(({ key }) => ({ db: this.#anchors, key })));
    return gone.length;
  }

  anchorOver(seq: number): ProofAnchor | undefined {
    for (const { value } of this.#anchors.getRange({ start: seq + 1, limit: 1 })) {
      return JSON.parse(value);
    }
    return undefined;
  }

  latestAnchor(): ProofAnchor | undefined {
    for (const { value } of this.#anchors.getRange({ reverse: true, limit: 1 })) {
      return JSON.parse(value);
    }
    return undefined;
  }

  async keepCosignature(size: number, witness: string, line: string): Promise<void> {
    const key = [size, witness];
    if (this.#cosignatures.get(key) !== undefined) return;
    await this.#environment.commit([{ db: this.#cosignatures, key, text: line }]);
  }

  cosignatures(size: number): readonly string[] {
    const lines: string[] = [];
    scan(this.#cosignatures, [size], (_key, line) => lines.push(line) > 0);
    return lines;
  }

  latestCosigned(): number | undefined {
    for (const { key } of this.#cosignatures.getRange({ reverse: true, limit: 1 })) {
      return Number(Array.isArray(key) ? key[0] : key);
    }
    return undefined;
  }
}
