/** Bits per value and hash functions of the filter: about 1 % false positives. */
const BITS_PER_VALUE = 10;
const HASH_COUNT = 7;
/** Minimum and maximum bits of a filter. */
const BITS_MIN = 64;
const BITS_MAX = 8_192;

/** Creates a Bloom filter of the values, as base64. */
export function createBloomFilter(values: ReadonlySet<string>): string {
  const bits = Math.min(BITS_MAX, Math.max(BITS_MIN, values.size * BITS_PER_VALUE));
  const bytes = Buffer.alloc(Math.ceil(bits / 8));
  for (const value of values) {
    for (const place of bitPositions(value, bytes.length * 8)) {
      bytes[place >> 3] = (bytes[place >> 3] ?? 0) | (1 << (place & 7));
    }
  }
  return bytes.toString('base64');
}

/** Returns `false` if the value is certainly not in the filter. */
export function bloomMayContain(bloom: string, value: string): boolean {
  const bytes = Buffer.from(bloom, 'base64');
  return bitPositions(value, bytes.length * 8).every(
    (bit) => ((bytes[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0,
  );
}

function bitPositions(value: string, bits: number): readonly number[] {
  const first = hashText(value, 0x81_1c_9d_c5);
  const second = hashText(value, 0x9e_37_79_b9) | 1;
  return Array.from(
    { length: HASH_COUNT },
    (_, n) => ((first + Math.imul(n, second)) >>> 0) % bits,
  );
}

/**
 * Returns the FNV-1a hash of a text's UTF-16 units, with a final mix; an unsigned 32-bit integer.
 */
export function hashText(text: string, seed = 0x81_1c_9d_c5): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
