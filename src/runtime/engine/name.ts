/** Longest name of an actor, a timer, an effect or an idempotency key, in characters. */
export const NAME_CHARS_MAX = 256;

/**
 * Tells whether a text can be a part of a key: keys of a store end at 1,978 bytes, and control
 * characters would break their order.
 */
export function isName(text: unknown): text is string {
  if (typeof text !== 'string' || text.length === 0 || text.length > NAME_CHARS_MAX) return false;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < 32) return false;
  return true;
}
