/** Options of an LMDB environment. */
export interface EnvironmentOptions {
  /** A folder, created if missing. */
  readonly path: string;
  /** Initial address space of the file; it grows as needed. */
  readonly mapSizeBytes?: number;
  /** Free bytes below which new work is rejected. Default `RESERVE_BYTES`. */
  readonly reserveBytes?: number;
  readonly readOnly?: boolean;
}
