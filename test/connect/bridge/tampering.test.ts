import { expect, test } from 'vitest';
import { offersIn } from '../../support/connect-proxy.ts';
import { connectWorld, DEBATE, LINKS, question } from '../../support/connect-world.ts';

const OTHER = `0x${'12'.repeat(20)}`;

const HARM: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['a higher price than listed', 'amount', { amount: '20000' }],
  ['a lower price than listed', 'amount', { amount: '1' }],
  ['another asset', 'asset', { asset: OTHER }],
  ['another network', 'network', { network: 'eip155:8453' }],
  ['an authorization for days', 'maxTimeoutSeconds', { maxTimeoutSeconds: 86_400 }],
  ['no name of the asset', 'extra', { extra: {} }],
];

test.each(HARM)('%s is refused by name and nothing is signed', async (_name, field, harm) => {
  const { bridge, proxy, commerce } = await connectWorld();
  const { call, ledger } = await bridge();
  proxy.alter = (answer) => {
    for (const offer of offersIn(answer)) Object.assign(offer, harm);
  };
  const told = await call(LINKS, { urls: [`${commerce.site.url}/here`] });
  expect(told).toMatchObject({
    isError: true,
    structuredContent: { error: 'CHALLENGE_REFUSED', data: { field } },
  });
  expect(proxy.payments).toEqual([]);
  expect(ledger.entries()).toEqual([]);
});

test('a challenge for a tool without a listed price is refused', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  proxy.alter = (answer) => {
    const result = answer['result'] as { tools?: Record<string, unknown>[] };
    for (const tool of result.tools ?? []) delete tool['_meta'];
  };
  const { call } = await bridge();
  const told = await call(LINKS, { urls: [`${commerce.site.url}/here`] });
  expect(told.structuredContent).toMatchObject({ error: 'CHALLENGE_REFUSED' });
  expect(proxy.payments).toEqual([]);
});

test('a changed payee is refused until a person agrees, and the new one then holds', async () => {
  const { bridge, proxy, commerce } = await connectWorld();
  const urls = [`${commerce.site.url}/here`];
  const plain = await bridge();
  await plain.call(LINKS, { urls });
  expect(proxy.payments).toHaveLength(1);
  proxy.alter = (answer) => {
    for (const offer of offersIn(answer)) offer['payTo'] = OTHER;
  };
  const told = await plain.call(LINKS, { urls, timeout_s: 3 });
  expect(told.structuredContent).toMatchObject({
    error: 'CHALLENGE_REFUSED',
    data: { pay_to: OTHER, payee_before: commerce.chain.facts.treasury, raise: `--payee ${OTHER}` },
  });
  expect(proxy.payments).toHaveLength(1);

  const asked: string[] = [];
  const person = async (message: string) => {
    asked.push(message);
    return { action: 'accept' as const, content: { pay: true } };
  };
  const kind = await bridge({ person });
  // The server itself refuses what was signed for another payee: nobody loses anything.
  const signed = await kind.call(LINKS, { urls, timeout_s: 3 });
  expect(signed.structuredContent).toMatchObject({ error: 'PAYMENT_WRONG_ASSET' });
  expect(proxy.payments.at(-1)?.payload.authorization.to).toBe(OTHER);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain('the payee has changed');
  await kind.call(LINKS, { urls, timeout_s: 4 });
  expect(asked).toHaveLength(1);
});

test('a payee named in advance is the only one that is paid', async () => {
  const { bridge, proxy } = await connectWorld();
  const { call } = await bridge({ payee: OTHER });
  const told = await call(DEBATE, question('One'));
  expect(told.structuredContent).toMatchObject({ error: 'CHALLENGE_REFUSED' });
  expect(proxy.payments).toEqual([]);
});
