import { afterEach, expect, test, vi } from 'vitest';
import type { TrustChain } from '../../../src/domain/chain/trust-chain.ts';
import {
  BASE_URL,
  callBy,
  type PassportWorld,
  passportOrder,
  passportWorld,
} from '../../support/passport-world.ts';

const FILE = '/a2a/passport/stoa/registration.json';
const ELSEWHERE = 'http://127.0.0.1:4711';

let world: PassportWorld;
afterEach(() => world.close());

const uriOf = (agentId = '0') => world.chain.ledger.contracts.agents.get(agentId)?.uri;

/** Counts what a life asks of the registry. */
function counted(calls: string[]) {
  return (trust: TrustChain): TrustChain => ({
    ...trust,
    identity: {
      ...trust.identity,
      setUri: (agentId, uri) => {
        calls.push(uri);
        return trust.identity.setUri(agentId, uri);
      },
    },
  });
}

test('the service’s own entry follows the address at which it is reached, once each time', async () => {
  world = passportWorld();
  const calls: string[] = [];
  const start = (reachedAt?: string) =>
    world.start({
      isLocalChain: true,
      wrap: counted(calls),
      ...(reachedAt === undefined ? {} : { reachedAt }),
    });
  const first = await start();
  await vi.waitFor(() => expect(uriOf()).toBe(`${BASE_URL}${FILE}`));
  const firstOf = async ({ documents }: typeof first) =>
    Object(await documents.registration('stoa')).services?.[0]?.endpoint;
  // The chain has the entry a moment before the passport is told of it.
  await expect.poll(() => firstOf(first)).toBe(`${BASE_URL}/mcp`);
  await first.engine.close();
  const second = await start(ELSEWHERE);
  await vi.waitFor(() => expect(uriOf()).toBe(`${ELSEWHERE}${FILE}`));
  await expect.poll(() => firstOf(second)).toBe(`${ELSEWHERE}/mcp`);
  const { services } = Object(await second.documents.registration('stoa'));
  expect(services.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual([
    ...[`${ELSEWHERE}/mcp`, `${ELSEWHERE}/.well-known/agent-card.json`, `${ELSEWHERE}/`],
  ]);
  await second.engine.close();
  const third = await start(ELSEWHERE);
  await third.registrar.mint(passportOrder(WALLET), callBy(WALLET));
  expect(calls).toEqual([`${ELSEWHERE}${FILE}`]);
  const other = await third.documents.registration('alpha');
  expect(other?.['services']).toEqual([]);
});

test('a passport that the operator names is brought level where a public address is set', async () => {
  world = passportWorld();
  const first = await world.start();
  const operator = world.chain.trust.operator;
  await world.drive(first.registrar.mint(passportOrder(operator), callBy(operator)));
  const old = uriOf();
  await first.engine.close();
  const options = { passportId: '0', reachedAt: ELSEWHERE } as const;
  await (await world.start(options)).engine.close();
  expect(uriOf()).toBe(old);
  await world.start({ ...options, hasPublicUrl: true });
  await vi.waitFor(() => {
    expect(uriOf()).toBe(`${ELSEWHERE}/a2a/passport/alpha/registration.json`);
  });
});

test('what the operator had point elsewhere, or has handed over, stays as it is', async () => {
  world = passportWorld();
  const first = await world.start();
  const { operator, identity } = world.chain.trust;
  await world.drive(first.registrar.mint(passportOrder(operator), callBy(operator)));
  await identity.setUri('0', 'https://own.example/agent.json');
  await first.engine.close();
  const calls: string[] = [];
  const options = { passportId: '0', hasPublicUrl: true, reachedAt: ELSEWHERE } as const;
  await (await world.start({ ...options, wrap: counted(calls) })).engine.close();
  expect(uriOf()).toBe('https://own.example/agent.json');
  await identity.setUri('0', `${BASE_URL}/a2a/passport/alpha/registration.json`);
  await identity.transfer('0', WALLET);
  await world.start({ ...options, wrap: counted(calls) });
  await new Promise((done) => setTimeout(done, 50));
  expect(calls).toEqual([]);
});

test('without gas left the entry stays, and the operator is told why', async () => {
  world = passportWorld();
  const first = await world.start({ isLocalChain: true });
  await vi.waitFor(() => expect(uriOf()).toBe(`${BASE_URL}${FILE}`));
  await first.engine.close();
  world.chain.trust.faults.isGasSpent = true;
  await world.start({ isLocalChain: true, reachedAt: ELSEWHERE });
  await vi.waitFor(() => expect(world.notices).toContainEqual(expect.stringMatching(/gas/)));
  expect(uriOf()).toBe(`${BASE_URL}${FILE}`);
});

const WALLET = `0x${'a7'.repeat(20)}`;
