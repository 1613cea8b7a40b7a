/** Big texts, addressed by the SHA-256 of their UTF-8 bytes, so that actor contexts stay small. */
export interface BlobStore {
  /** Keeps a text; resolves with its hash (64 hex digits) when it is durable. */
  put(text: string): Promise<string>;
  get(hash: string): string | undefined;
}
