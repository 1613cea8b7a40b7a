/** Closes a signature of a wallet that may not be deployed yet (ERC-6492). */
const MARK = '6492'.repeat(16);

/**
 * Why a wrapped signature does not pay: tokens ask the wallet itself (ERC-1271), so it must be
 * deployed, and they do not take the wrapper off.
 */
export const WRAPPED_REASON =
  'The signature is wrapped as ERC-6492, for a wallet that may not be deployed. The token takes ' +
  'only signatures of deployed wallets: deploy the wallet and send its own signature (ERC-1271), ' +
  'without the wrapper.';

/** Tells whether a signature in hex is wrapped as ERC-6492. */
export function isWrappedSignature(signature: string): boolean {
  return signature.toLowerCase().endsWith(MARK);
}
