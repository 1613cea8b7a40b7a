/** Writes bytes as standard base64 with padding. Works in Node and in browsers. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Reads standard base64 with padding; `undefined` for anything that is not exactly that. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : undefined;
}
