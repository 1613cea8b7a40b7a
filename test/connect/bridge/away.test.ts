import { expect, test } from 'vitest';
import { PAYMENT_META } from '../../../src/domain/payment/payment.ts';
import { connectWorld, DEBATE, question } from '../../support/connect-world.ts';

const patience = { listMs: 200, callMs: 300 };

test('a server that is away is a clear error, and the same bridge works when it is there', async () => {
  const { bridge, proxy } = await connectWorld();
  proxy.fate = () => 'cut';
  const { client, call } = await bridge({ patience });
  await expect(client.listTools()).rejects.toThrow('does not respond. Start it with `npm start`');
  const told = await call(DEBATE, question('One'));
  expect(told.structuredContent).toMatchObject({ error: 'SERVER_UNREACHABLE', retry: 'later' });
  expect((await call('wallet_status', {})).isError).toBeFalsy();
  proxy.fate = () => 'pass';
  expect((await call(DEBATE, question('One'))).isError).toBeFalsy();
});

test('a server that goes away after the signature is told so, and the payment is kept', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  const { call } = await bridge({ patience });
  proxy.fate = (request) => (JSON.stringify(request).includes(PAYMENT_META) ? 'swallow' : 'pass');
  const told = await call(DEBATE, question('One'));
  expect(told.structuredContent).toMatchObject({ error: 'SERVER_UNREACHABLE' });
  expect(told.content[0]?.text).toContain('presents the same payment and does not pay twice');
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
  proxy.fate = () => 'pass';
  expect((await call(DEBATE, question('One'))).isError).toBeFalsy();
  expect(await commerce.chain.balance(commerce.payer.address)).toBe('48000000');
  expect(new Set(proxy.payments.map(({ payload }) => payload.signature)).size).toBe(1);
});

test('of two first payees at once, only one is paid', async () => {
  const { bridge, proxy, commerce, setting } = await connectWorld();
  // Both have passed the question of who is paid before either pays.
  const look = {
    balanceOf: async () => {
      await new Promise((done) => setTimeout(done, 300));
      return 50_000_000n;
    },
    isSpent: async () => undefined,
  };
  const { call } = await bridge({ setting: () => ({ ...setting, reader: look }) });
  let asked = 0;
  proxy.alter = (answer) => {
    const { accepts = [] } =
      (answer['result'] as { structuredContent?: { accepts?: never[] } }).structuredContent ?? {};
    for (const offer of accepts as Record<string, unknown>[]) {
      asked += 1;
      if (asked === 1) offer['payTo'] = `0x${'12'.repeat(20)}`;
    }
  };
  const told = await Promise.all(['One', 'Two'].map((name) => call(DEBATE, question(name))));
  const payees = new Set(proxy.payments.map(({ payload }) => payload.authorization.to));
  expect(payees.size).toBe(1);
  expect(told.filter(({ isError }) => isError === true).length).toBeGreaterThanOrEqual(1);
  expect(await commerce.chain.balance(commerce.payer.address)).not.toBe('46000000');
});
