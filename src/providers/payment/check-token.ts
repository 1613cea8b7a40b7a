import { randomBytes } from 'node:crypto';
import type { Abi, Hex } from 'viem';
import { parseAbi, toHex } from 'viem/utils';
import { TRANSFER_TERMS } from '../../domain/wallet/transfer-terms.ts';
import type { ChainRpc } from '../chain/chain-rpc.ts';
import { authorizationDigest, domainSeparator } from '../chain/digest.ts';
import { type DigestSigner, digestSigner, freshKey } from '../chain/signature.ts';
import {
  requireCode,
  type Setting,
  shown,
  type Tried,
  tryCall,
  wrongSetting,
} from './wrong-setting.ts';

/** Name and version of a token, which define the domain of its signatures. */
export interface TokenFacts {
  readonly name: string;
  readonly version: string;
}

const ALLOWED =
  'a token with 6 decimals and EIP-3009 that verifies signatures in a standard EIP-712 domain';
/** Decimal places of the token: amounts are micro-dollars. */
const PLACES = 6;

const READ_ABI = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function balanceOf(address account) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
]);
const PARTS = [
  { name: 'v', type: 'uint8' },
  { name: 'r', type: 'bytes32' },
  { name: 's', type: 'bytes32' },
] as const;
const BYTES = [{ name: 'signature', type: 'bytes' }] as const;

/** The calls that settle payments and fund jobs. A token must have all of them. */
const FORMS = [
  { name: 'transferWithAuthorization', form: 'transfer', inputs: PARTS, words: 'v, r and s' },
  { name: 'transferWithAuthorization', form: 'transfer', inputs: BYTES, words: 'bytes' },
  { name: 'receiveWithAuthorization', form: 'receive', inputs: BYTES, words: 'bytes' },
] as const;

/** The dependencies of the token check. */
export interface TokenCheckParts {
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
export async function checkToken(parts: TokenCheckParts): Promise<TokenFacts> {
  const { rpc, token } = parts;
  await requireCode(rpc, token, ALLOWED);
  const owner = digestSigner(freshKey());
  const tried = (name: string, args: readonly unknown[] = []) =>
    tryCall(rpc, token.address, { abi: READ_ABI, name, args });
  const [named, versioned, placed, separated, ...others] = await Promise.all([
    tried('name'),
    tried('version'),
    tried('decimals'),
    tried('DOMAIN_SEPARATOR'),
    tried('balanceOf', [owner.address]),
    tried('authorizationState', [owner.address, freshNonce()]),
  ]);
  const [name, version, decimals] = [named, versioned, placed].map((each) => said(token, each));
  for (const other of others) said(token, other);
  const facts = { name: String(name), version: String(version) };
  if (decimals !== PLACES) throw wrong(token, `${shown(decimals)} decimals`);
  const domain = { ...facts, chainId: parts.chainId, token: token.address };
  if (separated.ok && separated.answer !== domainSeparator(domain)) {
    throw wrong(token, `a different domain than that of ${shown(name)}, version ${shown(version)}`);
  }
  if (parts.isLocal) return facts;
  const isHalted = await checkForms(parts, domain, owner);
  if (!isHalted) await checkTreasury(parts, domain);
  return facts;
}

type Domain = Parameters<typeof domainSeparator>[0];

/** @returns Whether the token is paused for everybody, which is no configuration error. */
async function checkForms(
  { rpc, token }: TokenCheckParts,
  domain: Domain,
  owner: DigestSigner,
): Promise<boolean> {
  const stranger = digestSigner(freshKey());
  const [plain, taken, forged] = await Promise.all([
    sendNothing(rpc, token, owner),
    Promise.all(FORMS.map((form) => tryForm({ rpc, domain, form, owner }))),
    Promise.all(FORMS.map((form) => tryForm({ rpc, domain, form, owner, by: stranger }))),
  ]);
  if (!plain.ok && plain.isRefused) return true;
  said(token, plain);
  for (const [index, { name, words }] of FORMS.entries()) {
    const what = `${name}() that takes a signature as ${words}`;
    if (taken[index]?.ok !== true) throw wrong(token, `no ${what}`);
    if (forged[index]?.ok === true) throw wrong(token, `a ${what} but does not verify it`);
  }
  return false;
}

/** Checks a treasury with code: a token then calls that code instead of verifying the key. */
async function checkTreasury({ rpc, treasury }: TokenCheckParts, domain: Domain): Promise<void> {
  const code = await rpc.call<Hex>('eth_getCode', [treasury.address, 'latest']);
  if (code === '0x') return;
  // Sent by another account: nodes send nothing from an account with code.
  const { address: sender } = digestSigner(freshKey());
  const signed = await tryForm({ rpc, domain, form: FORMS[0], owner: treasury, sender });
  if (signed.ok) return;
  const setting = { name: 'STOA_TREASURY_KEY', address: treasury.address };
  const found = 'a contract that rejects the signatures of the key';
  throw wrongSetting(setting, { found, allowed: 'the key of an account without a contract' });
}

function sendNothing(rpc: ChainRpc, { address }: Setting, by: DigestSigner): Promise<Tried> {
  const args = [by.address, 0n];
  return tryCall(rpc, address, { abi: READ_ABI, name: 'transfer', args, from: by.address });
}

interface FormTrial {
  readonly rpc: ChainRpc;
  readonly domain: Domain;
  readonly form: (typeof FORMS)[number];
  readonly owner: DigestSigner;
  /** The key that signs instead of the owner's. */
  readonly by?: DigestSigner;
  /** The account that sends it instead of the owner. */
  readonly sender?: Hex;
}

/** Simulates one form of a signed transfer of zero from an account to itself. */
async function tryForm(trial: FormTrial): Promise<Tried> {
  const { rpc, domain, form, owner, by = owner, sender = owner.address } = trial;
  const { name, inputs } = form;
  const from = owner.address;
  const nonce = freshNonce();
  const times = { validAfter: '0', validBefore: `${FAR_S}` };
  const authorization = { from, to: from, value: '0', nonce, ...times };
  const signature = by.sign(authorizationDigest(domain, form.form)(authorization));
  const signed = inputs === BYTES ? [signature] : partsOf(signature);
  const args = [from, from, 0n, 0n, FAR_S, nonce, ...signed];
  const call = { type: 'function', name, stateMutability: 'nonpayable', outputs: [] } as const;
  const abi: Abi = [{ ...call, inputs: [...TRANSFER_TERMS, ...inputs] }];
  return tryCall(rpc, domain.token as Hex, { abi, name, args, from: sender });
}

function partsOf(signature: Hex): readonly unknown[] {
  const [r, s] = [`0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`];
  return [Number.parseInt(signature.slice(-2), 16), r, s];
}

/** A time in seconds that no chain reaches. Some tokens read larger values as block numbers. */
const FAR_S = 2n ** 47n - 1n;
const NONCE_BYTES = 32;

function freshNonce(): Hex {
  return toHex(randomBytes(NONCE_BYTES));
}

/** @throws {AppError} `CONFIG_INVALID` */
function said(token: Setting, tried: Tried): unknown {
  if (tried.ok) return tried.answer;
  throw wrong(token, tried.found);
}

function wrong(token: Setting, found: string) {
  return wrongSetting(token, { found, allowed: ALLOWED });
}
