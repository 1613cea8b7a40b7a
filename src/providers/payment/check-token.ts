import { randomBytes } from 'node:crypto';
import type { Abi, Hex } from 'viem';
import { parseAbi, toHex } from 'viem/utils';
import { TRANSFER_TERMS } from '../../domain/wallet/transfer-terms.ts';
import type { ChainRpc } from '../chain/chain-rpc.ts';
import { authorizationDigest, domainSeparator } from '../chain/digest.ts';
import { createDigestSigner, type DigestSigner, generateKey } from '../chain/signature.ts';
import {
  formatAnswer,
  requireCode,
  type Setting,
  type SimulationResult,
  simulateCall,
  wrongSettingError,
} from './check-setting.ts';

/** Name and version of a token, which define the domain of its signatures. */
export interface TokenFacts {
  readonly name: string;
  readonly version: string;
}

const EXPECTED_TOKEN =
  'a token with 6 decimals and EIP-3009 that verifies signatures in a standard EIP-712 domain';
/** Decimal places of the token: amounts are micro-dollars. */
const DECIMALS = 6;

const READ_ABI = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function balanceOf(address account) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
]);
const SIGNATURE_PARTS = [
  { name: 'v', type: 'uint8' },
  { name: 'r', type: 'bytes32' },
  { name: 's', type: 'bytes32' },
] as const;
const SIGNATURE_BYTES = [{ name: 'signature', type: 'bytes' }] as const;

/** The calls that settle payments and fund jobs. A token must have all of them. */
const SIGNATURE_FORMS = [
  {
    name: 'transferWithAuthorization',
    form: 'transfer',
    inputs: SIGNATURE_PARTS,
    words: 'v, r and s',
  },
  { name: 'transferWithAuthorization', form: 'transfer', inputs: SIGNATURE_BYTES, words: 'bytes' },
  { name: 'receiveWithAuthorization', form: 'receive', inputs: SIGNATURE_BYTES, words: 'bytes' },
] as const;

/** The dependencies of the token check. */
export interface TokenCheckDeps {
  readonly rpc: ChainRpc;
  readonly chainId: number;
  readonly token: Setting;
  /** The account whose transfers the token must accept. */
  readonly treasury: DigestSigner;
  /**
   * Whether the chain and its token are embedded. Then only name, version and decimals are checked.
   */
  readonly isLocal: boolean;
}

/**
 * Checks that a token has every call that is used, and that it verifies signatures in the expected
 * form and domain. Each call is simulated with a fresh key and an amount of zero.
 *
 * @throws {AppError} `CONFIG_INVALID` with the setting, the address and what was found there;
 *   `CHAIN_UNAVAILABLE`
 */
export async function checkToken(parts: TokenCheckDeps): Promise<TokenFacts> {
  const { rpc, token } = parts;
  await requireCode(rpc, token, EXPECTED_TOKEN);
  const owner = createDigestSigner(generateKey());
  const simulate = (name: string, args: readonly unknown[] = []) =>
    simulateCall(rpc, token.address, { abi: READ_ABI, name, args });
  const [nameResult, versionResult, decimalsResult, separatorResult, ...others] = await Promise.all(
    [
      simulate('name'),
      simulate('version'),
      simulate('decimals'),
      simulate('DOMAIN_SEPARATOR'),
      simulate('balanceOf', [owner.address]),
      simulate('authorizationState', [owner.address, generateNonce()]),
    ],
  );
  const [name, version, decimals] = [nameResult, versionResult, decimalsResult].map((each) =>
    requireAnswer(token, each),
  );
  for (const other of others) requireAnswer(token, other);
  const facts = { name: String(name), version: String(version) };
  if (decimals !== DECIMALS) throw wrongToken(token, `${formatAnswer(decimals)} decimals`);
  const domain = { ...facts, chainId: parts.chainId, token: token.address };
  if (separatorResult.ok && separatorResult.answer !== domainSeparator(domain)) {
    throw wrongToken(
      token,
      `a different domain than that of ${formatAnswer(name)}, version ${formatAnswer(version)}`,
    );
  }
  if (parts.isLocal) return facts;
  const isHalted = await checkSignatureForms(parts, domain, owner);
  if (!isHalted) await checkTreasury(parts, domain);
  return facts;
}

type Domain = Parameters<typeof domainSeparator>[0];

/** @returns Whether the token is paused for everybody, which is no configuration error. */
async function checkSignatureForms(
  { rpc, token }: TokenCheckDeps,
  domain: Domain,
  owner: DigestSigner,
): Promise<boolean> {
  const otherSigner = createDigestSigner(generateKey());
  const [plain, signedResults, forgedResults] = await Promise.all([
    simulateZeroTransfer(rpc, token, owner),
    Promise.all(SIGNATURE_FORMS.map((form) => simulateForm({ rpc, domain, form, owner }))),
    Promise.all(
      SIGNATURE_FORMS.map((form) => simulateForm({ rpc, domain, form, owner, by: otherSigner })),
    ),
  ]);
  if (!plain.ok && plain.isRefused) return true;
  requireAnswer(token, plain);
  for (const [index, { name, words }] of SIGNATURE_FORMS.entries()) {
    const what = `${name}() that takes a signature as ${words}`;
    if (signedResults[index]?.ok !== true) throw wrongToken(token, `no ${what}`);
    if (forgedResults[index]?.ok === true)
      throw wrongToken(token, `a ${what} but does not verify it`);
  }
  return false;
}

/** Checks a treasury with code: a token then calls that code instead of verifying the key. */
async function checkTreasury({ rpc, treasury }: TokenCheckDeps, domain: Domain): Promise<void> {
  const code = await rpc.call<Hex>('eth_getCode', [treasury.address, 'latest']);
  if (code === '0x') return;
  // Sent by another account: nodes send nothing from an account with code.
  const { address: sender } = createDigestSigner(generateKey());
  const signed = await simulateForm({
    rpc,
    domain,
    form: SIGNATURE_FORMS[0],
    owner: treasury,
    sender,
  });
  if (signed.ok) return;
  const setting = { name: 'STOA_OPERATOR_KEY', address: treasury.address };
  const found = 'a contract that rejects the signatures of the key';
  throw wrongSettingError(setting, { found, allowed: 'the key of an account without a contract' });
}

function simulateZeroTransfer(
  rpc: ChainRpc,
  { address }: Setting,
  by: DigestSigner,
): Promise<SimulationResult> {
  const args = [by.address, 0n];
  return simulateCall(rpc, address, { abi: READ_ABI, name: 'transfer', args, from: by.address });
}

interface FormSimulation {
  readonly rpc: ChainRpc;
  readonly domain: Domain;
  readonly form: (typeof SIGNATURE_FORMS)[number];
  readonly owner: DigestSigner;
  /** The key that signs instead of the owner's. */
  readonly by?: DigestSigner;
  /** The account that sends it instead of the owner. */
  readonly sender?: Hex;
}

/** Simulates one form of a signed transfer of zero from an account to itself. */
async function simulateForm(trial: FormSimulation): Promise<SimulationResult> {
  const { rpc, domain, form, owner, by = owner, sender = owner.address } = trial;
  const { name, inputs } = form;
  const from = owner.address;
  const nonce = generateNonce();
  const times = { validAfter: '0', validBefore: `${FAR_FUTURE_S}` };
  const authorization = { from, to: from, value: '0', nonce, ...times };
  const signature = by.sign(authorizationDigest(domain, form.form)(authorization));
  const signed = inputs === SIGNATURE_BYTES ? [signature] : splitSignature(signature);
  const args = [from, from, 0n, 0n, FAR_FUTURE_S, nonce, ...signed];
  const call = { type: 'function', name, stateMutability: 'nonpayable', outputs: [] } as const;
  const abi: Abi = [{ ...call, inputs: [...TRANSFER_TERMS, ...inputs] }];
  return simulateCall(rpc, domain.token as Hex, { abi, name, args, from: sender });
}

function splitSignature(signature: Hex): readonly unknown[] {
  const [r, s] = [`0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`];
  return [Number.parseInt(signature.slice(-2), 16), r, s];
}

/** A time in seconds that no chain reaches. Some tokens read larger values as block numbers. */
const FAR_FUTURE_S = 2n ** 47n - 1n;
const NONCE_BYTES = 32;

function generateNonce(): Hex {
  return toHex(randomBytes(NONCE_BYTES));
}

/** @throws {AppError} `CONFIG_INVALID` */
function requireAnswer(token: Setting, result: SimulationResult): unknown {
  if (result.ok) return result.answer;
  throw wrongToken(token, result.found);
}

function wrongToken(token: Setting, found: string) {
  return wrongSettingError(token, { found, allowed: EXPECTED_TOKEN });
}
