import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** A wallet that pays for one client and keeps its key private. */
export interface PayingWallet {
  readonly address: `0x${string}`;
  /** A `fetch` that pays 402 challenges automatically within the limits. */
  readonly fetch: typeof fetch;
}

/** Limits on the payments of a wallet. */
export interface WalletLimits {
  /** CAIP-2 network, such as `eip155:31337`. */
  readonly network: `${string}:${string}`;
  /** The stablecoin's address. */
  readonly asset: string;
  /** Limit per payment, in the asset's smallest unit. */
  readonly maxAmountPerPayment: string;
}

/** Creates a wallet with a new key. */
export function createPayingWallet(limits: WalletLimits): PayingWallet {
  const account = privateKeyToAccount(generatePrivateKey());
  const payer = new x402Client().register(limits.network, new ExactEvmScheme(account));
  payer.setSpendControls({ allowedAssets: [limits] });
  return { address: account.address, fetch: wrapFetchWithPayment(fetch, payer) };
}

/** Connects an MCP client over streamable HTTP; with a wallet, it pays for its calls. */
export async function connectClient(url: string, wallet?: PayingWallet): Promise<Client> {
  const client = new Client({ name: 'stoa-tour', version: '1' }, {});
  const options = wallet === undefined ? {} : { fetch: wallet.fetch };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  return client;
}
