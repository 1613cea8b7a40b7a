import type { JsonObject } from '../common/json.ts';

/** Typed data to be signed by a wallet (EIP-712), as `eth_signTypedData_v4` takes it. */
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
  /** Whole numbers above 2^53 as decimal strings. */
  readonly message: JsonObject;
}
