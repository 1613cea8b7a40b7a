import { describe, expect, test } from 'vitest';
import { PAYMENT_RESPONSE_META } from '../../../src/domain/payment/payment.ts';
import { connectWorld, DEBATE, LINKS, ruledQuestion } from '../../support/connect-world.ts';

describe.each(['v1', 'v2'] as const)('through the endpoint %s', (endpoint) => {
  test('a client that cannot pay gets its paid answer, the receipt and what is left', async () => {
    const { commerce, bridge } = await connectWorld(endpoint);
    const { call, progress, progressValues } = await bridge();
    const told = await call(LINKS, { urls: [`${commerce.site.url}/here`] });
    expect(told.isError).toBeFalsy();
    expect(told.content[0]?.text).toMatch(/^PASS/);
    expect(told.content.at(-1)?.text).toMatch(
      /^Paid \$0\.01; \$9\.99 of \$10\.00 left today\. Transaction 0x[0-9a-f]{64}\.$/,
    );
    expect(told._meta).toMatchObject({
      [PAYMENT_RESPONSE_META]: { success: true, payer: commerce.payer.address },
      'stoa/spending': {
        price: { amount: '0.01', currency: 'USD', micro_usd: '10000' },
        paid: { amount: '0.01' },
        left_today: { amount: '9.99' },
        transaction: expect.stringMatching(/^0x/),
        pay_to: commerce.chain.facts.treasury,
      },
    });
    expect(progress[0]).toBe('paying $0.01, $9.99 left today');
    expect(progressValues).toEqual([...progressValues].sort((a, b) => a - b));
    expect(new Set(progressValues).size).toBe(progressValues.length);
    expect(await commerce.chain.balance(commerce.payer.address)).toBe('49990000');
  });
});

test('a panel that settles first is told as paid when its work begins', async () => {
  const { bridge, commerce } = await connectWorld();
  const { call, progress } = await bridge();
  const told = await call(DEBATE, ruledQuestion('One'));
  expect(told.structuredContent).toMatchObject({ status: 'decided' });
  expect(progress.slice(0, 2)).toEqual([
    'paying $2.00, $8.00 left today',
    'paid $2.00, $8.00 left today',
  ]);
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
});

test('the list names prices and caps, and has one free tool of the bridge', async () => {
  const { bridge, commerce } = await connectWorld();
  const { client, call } = await bridge({ perTool: { [LINKS]: '0.05' } });
  const { tools } = await client.listTools();
  const own = commerce.service.tools.map(({ name }) => name);
  expect(tools.map(({ name }) => name)).toEqual([...own, 'wallet_status']);
  expect(tools.find(({ name }) => name === LINKS)?.description).toMatch(
    /Costs \$0\.01 per call\. .* up to \$2\.00 per call and \$10\.00 per day\.$/,
  );
  await call(LINKS, { urls: [`${commerce.site.url}/here`] });
  const status = await call('wallet_status', {});
  expect(status.structuredContent).toMatchObject({
    address: commerce.payer.address,
    balance: { amount: '49.99' },
    spent_today: { amount: '0.01' },
    left_today: { amount: '9.99' },
    caps: { per_call: { amount: '2.00' }, per_tool: { [LINKS]: { amount: '0.05' } } },
    pay_to: commerce.chain.facts.treasury,
    undecided: [],
  });
  expect(status.content[0]?.text?.split('\n')[0]).toBe(
    '$9.99 of $10.00 left today; $0.01 spent or held.',
  );
});

test('search mode lists three tools, and pays for what is called through them', async () => {
  const { bridge, commerce } = await connectWorld();
  const { client, call, progress } = await bridge({ search: true, perTool: { [LINKS]: '0.05' } });
  expect(client.getInstructions()).toContain('find_tool');
  const { tools } = await client.listTools();
  const names = ['find_tool', 'describe_tool', 'call_tool', 'wallet_status'];
  expect(tools.map(({ name }) => name)).toEqual(names);
  const found = await call('find_tool', { request: 'are these hyperlinks broken?' });
  expect(found.content[0]?.text).toMatch(/^ops_link-integrity: .* \$0\.01\.$/m);
  const shown = await call('describe_tool', { name: LINKS });
  expect(shown.structuredContent).toMatchObject({ name: LINKS, price_usd: '0.01' });
  const told = await call('call_tool', {
    name: LINKS,
    arguments: { urls: [`${commerce.site.url}/here`] },
  });
  expect(told.content[0]?.text).toMatch(/^PASS/);
  expect(told.content.at(-1)?.text).toMatch(/^Paid \$0\.01; \$9\.99 of \$10\.00 left today/);
  expect(progress[0]).toBe('paying $0.01, $9.99 left today');
  const status = await call('call_tool', { name: 'wallet_status' });
  expect(status.structuredContent).toMatchObject({ spent_today: { amount: '0.01' } });
});

test('free tools, errors of the server and unknown tools pass as they are', async () => {
  const { bridge, proxy } = await connectWorld();
  const { client, call } = await bridge();
  const unknown = await call('get_result', { job_id: 'job_none' });
  expect(unknown).toMatchObject({ isError: true, structuredContent: { error: 'JOB_UNKNOWN' } });
  const wrong = await call(LINKS, { urls: 'no list' });
  expect(wrong).toMatchObject({ isError: true, structuredContent: { error: 'INPUT_INVALID' } });
  await expect(call('no_such_tool', {})).rejects.toMatchObject({ code: -32602 });
  await expect(client.readResource({ uri: 'panel://none' })).rejects.toThrow();
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual(
    expect.arrayContaining([]),
  );
  expect(proxy.payments).toEqual([]);
});

test('work that charges nothing is told so, and stays held until it has run out', async () => {
  const { bridge, proxy } = await connectWorld();
  const { call, ledger } = await bridge();
  const told = await call(LINKS, { urls: ['http://127.0.0.1:9/'] });
  expect(told.isError).toBe(true);
  expect(told.content.at(-1)?.text).toMatch(/^Nothing was charged; \$9\.99 of \$10\.00 left today/);
  expect(ledger.entries().map(({ last }) => last)).toMatchObject([
    { outcome: 'refused', code: 'NOT_CHARGED', tx: null },
  ]);
  expect(proxy.payments).toHaveLength(1);
});

test('an empty wallet is told where to send money to, and nothing is signed', async () => {
  const world = await connectWorld();
  const { reader: _look, fund: _fund, ...rest } = world.setting;
  const look = { balanceOf: async () => 0n, isSpent: async () => undefined };
  const { call, ledger } = await world.bridge({ setting: () => ({ ...rest, reader: look }) });
  const told = await call(LINKS, { urls: [`${world.commerce.site.url}/here`] });
  expect(told).toMatchObject({ isError: true, structuredContent: { error: 'PAYMENT_FUNDS' } });
  expect(told.content[0]?.text).toContain(world.commerce.payer.address);
  expect(ledger.entries()).toEqual([]);
  expect(world.proxy.payments).toEqual([]);
});

test('an empty wallet on the local chain is filled on need', async () => {
  const world = await connectWorld();
  let holds = 0n;
  const look = { balanceOf: async () => holds, isSpent: async () => undefined };
  const fund = async () => {
    holds = 20_000_000n;
  };
  const { call } = await world.bridge({
    setting: () => ({ ...world.setting, reader: look, fund }),
  });
  expect((await call(LINKS, { urls: [`${world.commerce.site.url}/here`] })).isError).toBeFalsy();
  expect(holds).toBe(20_000_000n);
});

test('a wallet that knows no chain pays nothing and says what is missing', async () => {
  const world = await connectWorld();
  const { call } = await world.bridge({ setting: () => undefined });
  const told = await call(LINKS, { urls: [`${world.commerce.site.url}/here`] });
  expect(told).toMatchObject({ isError: true, structuredContent: { error: 'NOT_CONFIGURED' } });
  expect(world.proxy.payments).toEqual([]);
});
