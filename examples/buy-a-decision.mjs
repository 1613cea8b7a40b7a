// Buys a decision from a running Stoa with a client whose fetch pays.
//   PAYER_KEY=0x… node examples/buy-a-decision.mjs [http://127.0.0.1:8402/v1/mcp]
// The wallet needs 2 dollars: npx stoa faucet --to <its address> --usd 10
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { walletKey } from './parts/wallet-key.mjs';

walletKey('PAYER_KEY');
const url = process.argv[2] ?? 'http://127.0.0.1:8402/v1/mcp';
const question = JSON.parse(readFileSync(new URL('debate-question.json', import.meta.url), 'utf8'));
const { network, asset } = await offerOf('deliberation_multi-agent-debate');

// [readme
const account = privateKeyToAccount(process.env.PAYER_KEY);
const payer = new x402Client().register(network, new ExactEvmScheme(account));
// What the wallet may spend at once, in millionths of a dollar; the default is one dollar.
payer.setSpendControls({ allowedAssets: [{ network, asset, maxAmountPerPayment: '2000000' }] });
const transport = new StreamableHTTPClientTransport(new URL(url), {
  fetch: wrapFetchWithPayment(fetch, payer),
});
const client = new Client({ name: 'example', version: '1' });
await client.connect(transport);
const answer = await client.callTool(
  { name: 'deliberation_multi-agent-debate', arguments: { ...question, wait_s: 120 } },
  {
    onprogress: ({ message }) => process.stdout.write(`${message}\n`),
    resetTimeoutOnProgress: true,
  },
);
// readme]

await client.close();
const { status, result } = answer.structuredContent;
const receipt = answer._meta['x402/payment-response'];
process.stdout.write(`${status}: ${result.winner.name} (${result.rule})\n`);
process.stdout.write(`paid in transaction ${receipt.transaction}\n`);

/** Reads from the free documentation of a tool how it wants to be paid. */
async function offerOf(name) {
  const reader = new Client({ name: 'example', version: '1' });
  await reader.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { contents } = await reader.readResource({ uri: `stoa://tools/${name}` });
  await reader.close();
  return JSON.parse(contents[0].text).accepts[0];
}
