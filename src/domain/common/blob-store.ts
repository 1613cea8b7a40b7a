/** Stores large texts by the SHA-256 of their UTF-8 bytes, which keeps actor contexts small. */
export interface BlobStore {
  /** Stores a text; resolves with its hash (64 hex digits) once it is durable. */
  put(text: string): Promise<string>;
  get(hash: string): string | undefined;
}
