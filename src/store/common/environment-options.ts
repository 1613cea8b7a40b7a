/** Where and how an LMDB environment is opened. */
export interface EnvironmentOptions {
  /** A folder; it is made when it is not there. */
  readonly path: string;
  /** Address space for the file at first; it grows as needed. */
  readonly mapSizeBytes?: number;
  /** See `RESERVE_BYTES`. */
  readonly reserveBytes?: number;
  readonly readOnly?: boolean;
}
