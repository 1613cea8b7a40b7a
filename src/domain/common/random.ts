/** Chance, injected. */
export interface Random {
  /** `length` unpredictable bytes. */
  bytes(length: number): Uint8Array;
}
