import { nodeRpc } from '../support/node-rpc.ts';

/** What a wallet has of the stablecoin, in micro-dollars, by the chain itself. */
export async function balanceIn(
  { rpc_url: rpcUrl, token }: { readonly rpc_url: string; readonly token: string },
  address: string,
): Promise<bigint> {
  const data = `0x70a08231${address.slice(2).toLowerCase().padStart(64, '0')}`;
  return BigInt(await nodeRpc<string>(rpcUrl, 'eth_call', { to: token, data }, 'latest'));
}
