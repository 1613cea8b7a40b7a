/** Maximum length of an actor id, a timer, an effect or an idempotency key, in characters. */
export const NAME_CHARS_MAX = 256;

/**
 * Returns whether a text can be part of a key. Store keys hold at most 1,978 bytes, and control
 * characters would break their order.
 */
export function isName(text: unknown): text is string {
  if (typeof text !== 'string' || text.length === 0 || text.length > NAME_CHARS_MAX) return false;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < 32) return false;
  return true;
}
