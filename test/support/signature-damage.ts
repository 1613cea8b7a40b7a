/** Flips one bit of a hex string; the position wraps around its length. */
export function flipBit(hex: string, bit: number): `0x${string}` {
  const bytes = Buffer.from(hex.slice(2), 'hex');
  const at = Math.floor(bit / 8) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8));
  return `0x${bytes.toString('hex')}`;
}

/** Writes the same signature with the other s (order - s) and the other v. */
export function highS(signature: string, orderHex: string): string {
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const other = (BigInt(`0x${orderHex}`) - s).toString(16).padStart(64, '0');
  const v = signature.endsWith('1b') ? '1c' : '1b';
  return `${signature.slice(0, 66)}${other}${v}`;
}
