import { z } from 'zod';

/** An RFC 3339 time in UTC. */
export const Instant = z.iso.datetime();
/** SHA-256 as 64 lower-case hex digits. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A source with the hash of the exact bytes that were read. */
export const SourceRecord = z.object({
  id: z.string().describe('Id within this answer, such as s1. Values cite it.'),
  upstream: z.string().describe('Upstream, such as kraken or web; caller for your own records.'),
  url: z.string().describe('URL that was read, or urn:stoa:… if there is none.'),
  retrieved_at: Instant.describe('When these bytes were received.'),
  revalidated_at: Instant.nullable().describe('When the upstream last confirmed these bytes.'),
  sha256: Sha256.describe('SHA-256 of the decoded response body.'),
  bytes: z.int().nonnegative(),
  http_status: z.int().nullable(),
  from_cache: z.boolean(),
  license: z.string().optional(),
});
/** A parsed {@link SourceRecord}. */
export type SourceRecord = z.infer<typeof SourceRecord>;

/** A source before it is assigned an id. */
export type UnnumberedSource = Omit<SourceRecord, 'id'>;

/** Assigns ids to sources in order of first use. Identical bytes share one id. */
export class SourceList {
  readonly #records = new Map<string, SourceRecord>();

  /** @returns The id of the source within this answer. */
  assignId(facts: UnnumberedSource): string {
    const key = `${facts.url} ${facts.sha256} ${facts.retrieved_at}`;
    const known = this.#records.get(key);
    if (known !== undefined) return known.id;
    const id = `s${this.#records.size + 1}`;
    this.#records.set(key, { id, ...facts });
    return id;
  }

  /** Returns all sources in order. */
  records(): readonly SourceRecord[] {
    return [...this.#records.values()];
  }
}
