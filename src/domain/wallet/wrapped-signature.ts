/** Suffix of a signature of a wallet that may not be deployed yet (ERC-6492). */
const ERC6492_SUFFIX = '6492'.repeat(16);

/**
 * Error text for wrapped signatures. Tokens ask the wallet itself (ERC-1271), so it must be
 * deployed, and they do not unwrap the signature.
 */
export const WRAPPED_SIGNATURE_MESSAGE =
  'The signature is wrapped as ERC-6492, for a wallet that may not be deployed. Tokens accept ' +
  'only signatures of deployed wallets. Deploy the wallet and send its own signature (ERC-1271) ' +
  'without the wrapper.';

/** Checks whether a hexadecimal signature is wrapped as ERC-6492. */
export function isWrappedSignature(signature: string): boolean {
  return signature.toLowerCase().endsWith(ERC6492_SUFFIX);
}
