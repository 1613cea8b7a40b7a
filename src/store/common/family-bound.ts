/** The environments of a data directory, named after their folder under `store/`. */
export type StoreName =
  | 'actors'
  | 'blobs'
  | 'history'
  | 'logs'
  | 'mcp'
  | 'metrics'
  | 'proofs'
  | 'trust';

/** Retention of key families with equal bounds: a row of docs/retention.md, as Markdown. */
export interface FamilyBound {
  readonly store: StoreName;
  readonly families: readonly string[];
  /** Form of the keys. */
  readonly key: string;
  /** Shown in the console as well. */
  readonly bound: string;
  /** Maximum rows of each family, if the bound is a number. */
  readonly rowsMax?: number;
  /** How long a row is kept. */
  readonly age: string;
  /** What removes rows. */
  readonly trimmer: string;
  readonly test: string;
}
