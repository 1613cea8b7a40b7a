import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  createPublicClient,
  encodeAbiParameters,
  encodeFunctionData,
  getContract,
  type Hex,
  http,
  keccak256,
  maxUint256,
  toHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArtifact } from '../../src/providers/chain/local/artifact.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../src/providers/payment/payment-chain.ts';
import { sendAsStranger } from '../support/node-rpc.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import { compileDollarOfOthers, DOLLAR_FILE } from '../support/second-chain.ts';
import { tempDir } from '../support/temp-dir.ts';

const { abi } = readArtifact('TestDollar');
const folder = tempDir();
let chain: NodePaymentChain;

beforeAll(async () => {
  const options = { dataDir: folder.path, now: Date.now, notice: () => undefined };
  chain = await openPaymentChain({ kind: 'local', ...options });
}, 120_000);

afterAll(async () => {
  await chain.close();
  folder.remove();
});

test('the committed artifacts match their sources', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['scripts/contracts.mjs', '--check']);
  expect(stdout).toContain('match');
}, 120_000);

test('the token names itself as a test dollar with six decimals', async () => {
  const token = contract();
  expect(await token.read['name']?.()).toBe('Stoa Test Dollar');
  expect(await token.read['symbol']?.()).toBe('TUSD');
  expect(await token.read['decimals']?.()).toBe(6);
  expect(await token.read['version']?.()).toBe('1');
});

test('only the minter makes dollars', async () => {
  const to = createPayer().address;
  const data = encodeFunctionData({ abi, functionName: 'mint', args: [to, 1n] });
  await expect(send(createPayer().address, data)).rejects.toThrow();
  expect(await chain.balance(to)).toBe('0');
});

test('both forms of a signed transfer move the money, each authorization once', async () => {
  const payer = await funded();
  const to = createPayer().address;
  for (const form of ['words', 'bytes'] as const) {
    const call = await authorized({ kind: 'Transfer', form, payer, to });
    await send(createPayer().address, call);
    await expect(send(createPayer().address, call)).rejects.toThrow();
  }
  expect(await chain.balance(to)).toBe('200');
});

test('a transfer meant for its receiver is taken by the receiver only', async () => {
  const payer = await funded();
  for (const form of ['words', 'bytes'] as const) {
    const to = createPayer().address;
    const call = await authorized({ kind: 'Receive', form, payer, to });
    await expect(send(createPayer().address, call)).rejects.toThrow();
    await send(to, call);
    expect(await chain.balance(to)).toBe('100');
  }
});

test('times are seconds, however large, and never block numbers', async () => {
  const payer = await funded();
  const to = createPayer().address;
  // Bit 47 set on both: a token that reads it as block numbers would let it pass at once.
  const flagged = 2n ** 47n;
  const order = { kind: 'Transfer', form: 'bytes', payer, to, validAfter: flagged } as const;
  const early = await authorized(order);
  await expect(send(createPayer().address, early)).rejects.toThrow();
  expect(await chain.balance(to)).toBe('0');
});

test('the token tells its EIP-712 domain as the standard has it', async () => {
  const type = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
  const expected = keccak256(
    encodeAbiParameters(
      ['bytes32', 'bytes32', 'bytes32', 'uint256', 'address'].map((each) => ({ type: each })),
      [
        keccak256(toHex(type)),
        keccak256(toHex('Stoa Test Dollar')),
        keccak256(toHex('1')),
        31_337n,
        chain.facts.token,
      ],
    ),
  );
  expect(await contract().read['DOMAIN_SEPARATOR']?.()).toBe(expected);
});

function contract() {
  const client = createPublicClient({ transport: http(chain.facts.rpcUrl) });
  return getContract({ abi, client, address: chain.facts.token as Hex });
}

async function funded(): Promise<Payer> {
  const payer = createPayer();
  await chain.faucet(payer.address, '1000000');
  return payer;
}

function send(from: Hex, data: Hex): Promise<string> {
  return sendAsStranger(chain.facts.rpcUrl, { from, to: chain.facts.token, data });
}

interface Order {
  readonly kind: 'Transfer' | 'Receive';
  readonly form: 'words' | 'bytes';
  readonly payer: Payer;
  readonly to: Hex;
  readonly validAfter?: bigint;
}

async function authorized({ kind, form, payer, to, validAfter = 0n }: Order): Promise<Hex> {
  const { facts } = chain;
  const message = {
    from: payer.address,
    to,
    value: 100n,
    validAfter,
    validBefore: maxUint256,
    nonce: keccak256(toHex(`${kind} ${form} ${to}`)),
  };
  const primaryType = `${kind}WithAuthorization`;
  const signature = await privateKeyToAccount(payer.privateKey).signTypedData({
    domain: {
      name: facts.tokenName,
      version: facts.tokenVersion,
      chainId: facts.chainId,
      verifyingContract: facts.token as Hex,
    },
    types: {
      [primaryType]: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType,
    message,
  });
  const terms = Object.values({
    from: message.from,
    to,
    value: 100n,
    validAfter: message.validAfter,
    validBefore: message.validBefore,
    nonce: message.nonce,
  });
  const words = [
    Number.parseInt(signature.slice(-2), 16),
    `0x${signature.slice(2, 66)}`,
    `0x${signature.slice(66, 130)}`,
  ];
  const functionName = `${kind.toLowerCase()}WithAuthorization`;
  const args = [...terms, ...(form === 'bytes' ? [signature] : words)];
  return encodeFunctionData({ abi, functionName, args });
}

test('the dollar of a chain of others is the same contract under its name', async () => {
  const bytecode = `${compileDollarOfOthers()}\n`;
  // `npx vitest run test/contracts --update` writes it anew.
  await expect(bytecode).toMatchFileSnapshot(fileURLToPath(DOLLAR_FILE));
});
