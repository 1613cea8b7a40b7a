import type { JsonObject } from '../common/json.ts';

/** EIP-712 typed data for a wallet signature, in the format of `eth_signTypedData_v4`. */
export interface TypedData {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract?: string;
  };
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[]>
  >;
  readonly primaryType: string;
  /** Whole numbers above 2^53 are decimal strings. */
  readonly message: JsonObject;
}
