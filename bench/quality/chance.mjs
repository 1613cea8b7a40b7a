// Chance that a seed deals: the same key gives the same number, whatever ran before.
import { createHash } from 'node:crypto';

/** Draws of one seed; numbers from 0 up to 1, options, orders and bytes by key. */
export function chanceOf(seed) {
  const draw = (...key) => digest(seed, key).readUInt32BE() / 2 ** 32;
  const pick = (items, ...key) => items[Math.floor(draw(...key) * items.length)];
  return {
    draw,
    pick,
    /** True with the given probability. */
    hits: (probability, ...key) => draw(...key) < probability,
    /** The items in an order that the key deals. */
    shuffled: (items, ...key) =>
      items
        .map((item, at) => [draw(...key, at), item])
        .sort(([one], [other]) => one - other)
        .map(([, item]) => item),
    bytes: (length, ...key) => new Uint8Array(digest(seed, key).subarray(0, length)),
  };
}

function digest(seed, key) {
  return createHash('sha256')
    .update(`${seed}|${key.join('|')}`)
    .digest();
}
