import { readFileSync } from 'node:fs';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeDeployData, toFunctionSelector, toHex } from 'viem/utils';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readArtifact } from '../../../src/providers/chain/local/artifact.ts';
import { deployContracts } from '../../../src/providers/chain/local/deploy-contracts.ts';
import type { RpcChainOptions } from '../../../src/providers/chain/rpc-chain.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { type SecondChain, secondChain } from '../../support/second-chain.ts';
import { tempDir } from '../../support/temp-dir.ts';

// What the configuration names on a chain is looked at before anything is sold there. Each wrong
// address is refused with the variable that names it, the address and what was found.

// A refusal is looked at again before it is given: not after half a second here.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  return { ...real, setTimeout: (delayMs = 0) => real.setTimeout(delayMs / 50) };
});

let second: SecondChain;
beforeAll(async () => {
  second = await secondChain(0);
});
afterAll(() => second.close());

const WORDS = 'address,address,uint256,uint256,uint256,bytes32';
const SIGNED = {
  parts: toFunctionSelector(`transferWithAuthorization(${WORDS},uint8,bytes32,bytes32)`),
  bytes: toFunctionSelector(`transferWithAuthorization(${WORDS},bytes)`),
  received: toFunctionSelector(`receiveWithAuthorization(${WORDS},bytes)`),
};
/** Where the token keeps its name. */
const NAME_SLOT = toHex(3, { size: 32 });
const PLAIN = toFunctionSelector('transfer(address,uint256)');

test('the settings of a chain are taken as they should be', async () => {
  await expect(tryStart({})).resolves.toBe('started');
});

test('a contract in the place of any other one is refused by name', async () => {
  const all: Readonly<Record<string, Hex>> = { token: second.token, ...second.contracts };
  const places = Object.keys(all);
  // Each place is tried with the next three contracts: all pairs would take long.
  const pairs = places.flatMap((place, index) =>
    [1, 2, 3].map((step) => ({ place, other: places[(index + step) % places.length] ?? '' })),
  );
  expect(pairs).toHaveLength(21);
  const outcomes: unknown[] = [];
  for (const { place, other } of pairs) {
    outcomes.push([place, other, await tryStart(put(place, all[other]))]);
  }
  const expected = pairs.map(({ place, other }) => [place, other, refusal(place, all[other])]);
  expect(outcomes).toMatchObject(expected);
}, 120_000);

test('an address without a contract is refused by name', async () => {
  const { address } = privateKeyToAccount(generatePrivateKey());
  for (const place of ['token', ...Object.keys(second.contracts)]) {
    const found = { data: { found: 'no contract' } };
    expect(await tryStart(put(place, address))).toMatchObject(refusal(place, address));
    expect(await tryStart(put(place, address))).toMatchObject(found);
  }
}, 120_000);

test('a contract that halts on every call is refused by name', async () => {
  for (const code of ['0xfe', '0x56'] as const) {
    const halting = await placed(code);
    for (const place of ['token', 'escrow', 'identity']) {
      expect(await tryStart(put(place, halting))).toMatchObject(refusal(place, halting));
    }
  }
});

test('an escrow of another token, operator, arbiter or treasury is refused', async () => {
  const { address: operator } = privateKeyToAccount(second.operatorKey);
  const { address: other } = privateKeyToAccount(generatePrivateKey());
  const right = { token: second.token, operator, arbiter: operator, treasury: operator };
  for (const name of Object.keys(right)) {
    const escrow = await escrowWith({ ...right, [name]: other });
    const refused = await tryStart(put('escrow', escrow));
    expect(refused).toMatchObject(refusal('escrow', escrow));
    expect(refused).toMatchObject({ message: expect.stringContaining(`${name}() is`) });
  }
}, 120_000);

test('an escrow of the first version is taken', async () => {
  const { address: operator } = privateKeyToAccount(second.operatorKey);
  const file = new URL('../../fixtures/contracts/job-escrow-1.json', import.meta.url);
  const { bytecode } = JSON.parse(readFileSync(file, 'utf8')) as { readonly bytecode: Hex };
  const order = { token: second.token, operator, arbiter: operator, treasury: operator };
  const escrow = await escrowWith(order, bytecode);
  await expect(tryStart(put('escrow', escrow))).resolves.toBe('started');
});

test('a registry of feedback or validations for other agents is refused', async () => {
  const identity = await copyOf(second.contracts.identity ?? '0x');
  for (const place of ['reputation', 'validation'] as const) {
    const { [place]: registry } = second.contracts;
    const settings = { contracts: { identity, [place]: registry } };
    expect(await tryStart(settings)).toMatchObject(refusal(place, registry));
  }
});

test('a token without a call that is used is refused, as one of the first form is', async () => {
  const lacking = [
    ...['name()', 'version()', 'decimals()', 'balanceOf(address)'].map(toFunctionSelector),
    toFunctionSelector('authorizationState(address,bytes32)'),
    ...Object.values(SIGNED),
  ];
  for (const selector of lacking) {
    const token = await tokenThat({ refuses: [selector] });
    expect(await tryStart({ token, contracts: {} })).toMatchObject(refusal('token', token));
  }
  const token = await tokenThat({ refuses: [SIGNED.bytes, SIGNED.received] });
  const first = await tryStart({ token, contracts: {} });
  expect(first).toMatchObject({ message: expect.stringContaining('a signature as bytes') });
}, 120_000);

test('a token that answers a signed transfer without reading it is refused', async () => {
  for (const selector of Object.values(SIGNED)) {
    const token = await tokenThat({ swallows: [selector] });
    expect(await tryStart({ token, contracts: {} })).toMatchObject(refusal('token', token));
  }
});

test('a token that is halted, or tells no domain, is no wrong setting', async () => {
  const halted = await tokenThat({ refuses: [PLAIN, ...Object.values(SIGNED)] });
  await expect(tryStart({ token: halted, contracts: {} })).resolves.toBe('started');
  const silent = await tokenThat({ refuses: [toFunctionSelector('DOMAIN_SEPARATOR()')] });
  await expect(tryStart({ token: silent, contracts: {} })).resolves.toBe('started');
});

test('a treasury whose account has code that vouches for nothing is refused', async () => {
  const treasuryKey = generatePrivateKey();
  const { address } = privateKeyToAccount(treasuryKey);
  const plain = await tokenThat({});
  await expect(tryStart({ token: plain, treasuryKey, contracts: {} })).resolves.toBe('started');
  // Some tokens ask the code at an account, where there is any: this one has no answer.
  await nodeRpc(second.rpcUrl, 'anvil_setCode', address, '0x60205ff3');
  const token = await tokenThat({ refuses: [SIGNED.parts], of: address });
  const refused = await tryStart({ token, treasuryKey, contracts: {} });
  const data = { setting: 'STOA_OPERATOR_KEY', address: address.toLowerCase() };
  expect(refused).toMatchObject({ code: 'CONFIG_INVALID', data });
});

test('nothing is deployed for a token that does not fit', async () => {
  const token = await tokenThat({ refuses: [SIGNED.bytes] });
  const folder = tempDir();
  const { rpcUrl, operatorKey } = second;
  const { address: operator } = privateKeyToAccount(operatorKey);
  const sent = () => nodeRpc(rpcUrl, 'eth_getTransactionCount', operator, 'latest');
  const before = await sent();
  const order = { rpcUrl, token, operatorKey, dataDir: folder.path, now: Date.now };
  await expect(deployContracts(order)).rejects.toMatchObject(refusal('token', token));
  expect(await sent()).toBe(before);
  folder.remove();
});

type Settings = Partial<Pick<RpcChainOptions, 'token' | 'contracts' | 'treasuryKey'>>;

/** @returns The error of the start, where there is one. */
async function tryStart(settings: Settings): Promise<unknown> {
  try {
    const chain = await second.open({ settings });
    await chain.close();
    return 'started';
  } catch (thrown) {
    return thrown;
  }
}

function put(place: string, address: Hex | undefined): Settings {
  if (place === 'token') return { token: address ?? '0x' };
  return { contracts: { ...second.contracts, [place]: address } };
}

function refusal(place: string, address: Hex | undefined) {
  const setting = `STOA_${place.toUpperCase()}_ADDRESS`;
  const message = expect.stringContaining(`${setting} is ${address}. Found there: `);
  return { code: 'CONFIG_INVALID', message, data: { setting, address } };
}

/** Puts code at an address that nobody has used. */
async function placed(code: Hex): Promise<Hex> {
  const { address } = privateKeyToAccount(generatePrivateKey());
  await nodeRpc(second.rpcUrl, 'anvil_setCode', address, code);
  return address;
}

async function copyOf(address: Hex): Promise<Hex> {
  return placed(await nodeRpc<Hex>(second.rpcUrl, 'eth_getCode', address, 'latest'));
}

async function escrowWith(
  order: Readonly<Record<'token' | 'operator' | 'arbiter' | 'treasury', Hex>>,
  bytecode = readArtifact('JobEscrow').bytecode,
): Promise<Hex> {
  const { abi } = readArtifact('JobEscrow');
  const args = [order.token, order.operator, order.arbiter, order.treasury];
  const data = encodeDeployData({ abi, bytecode, args });
  return placed(await nodeRpc<Hex>(second.rpcUrl, 'eth_call', { data, gas: '0x989680' }, 'latest'));
}

/** The chain's token behind code that does not let some calls through. */
async function tokenThat(calls: {
  readonly refuses?: readonly Hex[];
  readonly swallows?: readonly Hex[];
  /** Whose calls alone are meant: the first argument. */
  readonly of?: Hex;
}): Promise<Hex> {
  const { refuses = [], swallows = [], of } = calls;
  const cases = [...refuses, ...swallows];
  // Calldata's first word to the right, then a jump for each selector: 10 bytes a case,
  // and 26 more where the first argument counts as well.
  const passOn = `365f5f375f5f365f73${second.token.slice(2)}5af43d5f5f3e`;
  const headBytes = 5 + (of === undefined ? 10 : 36) * cases.length;
  const okAt = headBytes + passOn.length / 2 + 3 + 3;
  const [refuseAt, swallowAt] = [okAt + 4, okAt + 8];
  const whose = of === undefined ? '' : `60043573${of.slice(2)}1416`;
  const jump = (selector: Hex, to: number) => `8063${selector.slice(2)}14${whose}60${byte(to)}57`;
  const head = [
    ...refuses.map((selector) => jump(selector, refuseAt)),
    ...swallows.map((selector) => jump(selector, swallowAt)),
  ].join('');
  const tail = `60${byte(okAt)}573d5ffd5b3d5ff35b5f5ffd5b00`;
  const token = await placed(`0x5f3560e01c${head}${passOn}${tail}`);
  const { rpcUrl } = second;
  const name = await nodeRpc<Hex>(rpcUrl, 'eth_getStorageAt', second.token, NAME_SLOT, 'latest');
  await nodeRpc(rpcUrl, 'anvil_setStorageAt', token, NAME_SLOT, name);
  return token;
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}
