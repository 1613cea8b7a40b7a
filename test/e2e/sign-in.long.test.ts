import { ExactEvmScheme } from '@x402/evm/exact/client';
import {
  createSIWxClientExtension,
  createSIWxPayload,
  encodeSIWxHeader,
} from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

// Purchases and used proofs outlive the process. The client is that of the public packages.

const account = privateKeyToAccount(generatePrivateKey());
const dataDir = freshDataDir();
let server: RealServer;

afterAll(cleanUp);

test('what was bought and which proof was used outlive a kill', { timeout: 600_000 }, async () => {
  server = await startRealServer(dataDir);
  await fund(server, account.address);
  const port = new URL(server.ready.base_url).port;
  const bought = await ask(client());
  expect(bought.status).toBe(200);
  const answer = await bought.json();
  const left = await balanceOf(server, account.address);
  const used = await sign();
  expect((await ask(fetch, used)).status).toBe(200);
  const fresh = await sign();

  await server.kill();
  server = await startRealServer(dataDir, ['--port', port]);
  expect((await ask(fetch, used)).status).toBe(409);
  expect((await ask(fetch, fresh)).status).toBe(200);
  const again = await ask(client());
  expect(await again.json()).toEqual(answer);
  expect(await balanceOf(server, account.address)).toBe(left);
});

function client(): typeof fetch {
  const { id, token } = server.ready.chain;
  const allowed = { network: `eip155:${id}`, asset: token, maxAmountPerPayment: '1000000' };
  const paying = new x402Client()
    .register('eip155:*', new ExactEvmScheme(account))
    .setSpendControls({ allowedAssets: [allowed as never] });
  paying.registerExtension(createSIWxClientExtension({ signers: [account] }) as never);
  return wrapFetchWithPayment(fetch, paying) as typeof fetch;
}

async function ask(send: typeof fetch, proof?: string): Promise<Response> {
  return send(`${server.ready.base_url}/v1/services/trust-check`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(proof === undefined ? {} : { 'sign-in-with-x': proof }),
    },
    body: JSON.stringify({ subject: account.address }),
  });
}

async function sign(): Promise<string> {
  const unpaid = await ask(fetch);
  const header = unpaid.headers.get('payment-required') ?? '';
  const { extensions } = JSON.parse(Buffer.from(header, 'base64').toString());
  const { info, supportedChains } = extensions['sign-in-with-x'];
  return encodeSIWxHeader(
    await createSIWxPayload({ ...info, ...supportedChains[0] }, account, unpaid.url),
  );
}
