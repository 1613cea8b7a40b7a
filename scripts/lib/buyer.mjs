// A client of a server that pays its calls with test money.
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** What one call may cost, in millionths of a dollar. */
const PRICE_MAX = '3000000';
const CALL_MS = 120_000;

/**
 * Connects to the commerce server with a wallet of its own, or as the operator to the hosting
 * server. `buy` answers the payment challenge of a call in its `_meta`; `call` pays nothing.
 */
export async function connectBuyer(ready, { isHosting = false } = {}) {
  const account = privateKeyToAccount(generatePrivateKey());
  const token = readFileSync(ready.token_file, 'utf8').trim();
  const operator = { authorization: `Bearer ${token}` };
  await fetch(`${ready.base_url}/dev/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...operator },
    body: JSON.stringify({ to: account.address, usd: '10' }),
  });
  const client = new Client({ name: 'buyer', version: '1' });
  const url = new URL(isHosting ? ready.hosting_mcp : ready.mcp_v2);
  const requestInit = isHosting ? { headers: operator } : {};
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  const payer = new x402Client().register('eip155:*', new ExactEvmScheme(account));
  const call = async (name, args, _meta = {}) => {
    const asked = { name, arguments: args, _meta };
    return (await client.callTool(asked, { timeout: CALL_MS })).structuredContent;
  };
  const buy = async (name, args) => {
    const challenge = await call(name, args);
    if (challenge.accepts === undefined) throw new Error(JSON.stringify(challenge));
    const [{ network, asset }] = challenge.accepts;
    const limit = { network, asset, maxAmountPerPayment: PRICE_MAX };
    payer.setSpendControls({ allowedAssets: [limit] });
    const answer = await call(name, args, {
      'x402/payment': await payer.createPaymentPayload(challenge),
    });
    if (answer.error !== undefined) throw new Error(JSON.stringify(answer));
    return answer;
  };
  return { buy, call, close: () => client.close() };
}
