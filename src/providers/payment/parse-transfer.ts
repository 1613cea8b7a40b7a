import type { Hex } from 'viem';
import { decodeFunctionData, parseTransaction } from 'viem/utils';
import type { Authorization } from '../../domain/payment/payment.ts';
import { TOKEN_ABI } from './token-abi.ts';

/** The token call in a signed transaction. */
export interface RawTransfer {
  /** Address of the contract that is called. */
  readonly to: Hex;
  readonly chainId: number | undefined;
  readonly authorization: Authorization;
}

/** Parses a raw transaction. Returns `undefined` if it does not settle an authorization. */
export function parseTransfer(raw: Hex): RawTransfer | undefined {
  try {
    const { to, data = '0x', chainId } = parseTransaction(raw);
    const call = decodeFunctionData({ abi: TOKEN_ABI, data });
    if (call.functionName !== 'transferWithAuthorization' || !to) return undefined;
    const [from, payee, value, validAfter, validBefore, nonce] = call.args;
    const terms = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` };
    return { to, chainId, authorization: { from, to: payee, nonce, ...terms } };
  } catch {
    return undefined;
  }
}
