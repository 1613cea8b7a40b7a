import { z } from 'zod';
import { AppError } from '../common/error.ts';
import { MINUTE_MS } from '../common/time.ts';

/** Key of the x402 extension by which a wallet gets again what it has bought. */
const SIGN_IN_EXTENSION = 'sign-in-with-x';
/** Header with the proof: base64 of the JSON. */
export const SIGN_IN_HEADER = 'sign-in-with-x';
/** How long a proof is valid after its challenge, in milliseconds. */
export const SIGN_IN_MS = 5 * MINUTE_MS;
/** Longest header, in characters. Signatures of contract wallets are long. */
export const SIGN_IN_CHARS_MAX = 8_192;

/** A line of the signed text: a line break would let a value pose as another field. */
const Line = z
  .string()
  .min(1)
  .max(2_048)
  .regex(/^[^\r\n]*$/);
const Time = z.iso.datetime({ offset: true });

/** The proof that a client sends. Only EVM wallets are accepted. */
export const SignInProof = z.object({
  domain: Line,
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  statement: Line,
  uri: Line,
  version: z.literal('1'),
  chainId: z.string().regex(/^eip155:[1-9]\d{0,15}$/),
  type: z.literal('eip191'),
  nonce: z.string().regex(/^[0-9a-zA-Z]{8,64}$/),
  issuedAt: Time,
  expirationTime: Time.optional(),
  notBefore: Time.optional(),
  requestId: Line.optional(),
  resources: z.array(Line).max(10).optional(),
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){64,2048}$/),
});
/** The proof that a client sends. */
export type SignInProof = z.infer<typeof SignInProof>;

/** A wallet that has signed in for one request. */
export interface SignedIn {
  /** In lower case. */
  readonly wallet: string;
  /**
   * Uses up the nonce of the proof; resolves when that is on disk.
   *
   * @throws {AppError} `WALLET_NONCE_USED` if it was used before, `OVERLOADED`
   */
  spend(): Promise<void>;
}

/** Lets wallets sign in to what they have bought. */
export interface SignIn {
  /**
   * Returns the extension of a challenge, with a fresh nonce.
   *
   * @param url - The address of the service. What follows `#` is left out.
   */
  offer(url: string): SignInExtension;
  /**
   * Returns the wallet that signed a proof for a path of this server.
   *
   * @throws {AppError} `INPUT_INVALID`, `WALLET_ORIGIN`, `WALLET_EXPIRED`, `WALLET_FORGED`,
   *   `CHAIN_UNAVAILABLE` for contract wallets
   */
  prove(request: { readonly header: string; readonly path: string }): Promise<SignedIn>;
}

/** The wire form of the extension. */
export interface SignInExtension {
  readonly [SIGN_IN_EXTENSION]: {
    readonly info: object;
    readonly supportedChains: readonly object[];
    readonly schema: object;
  };
}

/** Builds the extension of a challenge. `network` is CAIP-2, `now` in milliseconds. */
export function buildSignInExtension(facts: {
  readonly url: string;
  readonly network: string;
  readonly nonce: string;
  readonly now: number;
}): SignInExtension {
  const { url, network, nonce, now } = facts;
  const { host, origin, pathname } = new URL(url);
  const uri = `${origin}${pathname}`;
  const info = {
    domain: host,
    uri,
    version: '1',
    nonce,
    issuedAt: new Date(now).toISOString(),
    expirationTime: new Date(now + SIGN_IN_MS).toISOString(),
    statement: STATEMENT,
    resources: [uri],
  };
  const supportedChains = [{ chainId: network, type: 'eip191' }];
  return { [SIGN_IN_EXTENSION]: { info, supportedChains, schema: SCHEMA } };
}

/**
 * Parses the header of a proof.
 *
 * @throws {AppError} `INPUT_INVALID` with the path
 */
export function parseSignIn(header: string): SignInProof {
  const parsed = SignInProof.safeParse(decodeHeader(header));
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new AppError('INPUT_INVALID', {
    message: `The header ${SIGN_IN_HEADER} is invalid at "${path}".`,
    data: { path, allowed: 'base64 of a JSON proof of sign-in-with-x, type eip191' },
  });
}

/** Returns the text that a proof signs (EIP-4361). */
export function buildSignInText(proof: SignInProof): string {
  const { domain, address, statement, resources = [] } = proof;
  const optional = [
    ['Expiration Time', proof.expirationTime],
    ['Not Before', proof.notBefore],
    ['Request ID', proof.requestId],
  ];
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    statement,
    '',
    `URI: ${proof.uri}`,
    `Version: ${proof.version}`,
    `Chain ID: ${proof.chainId.slice('eip155:'.length)}`,
    `Nonce: ${proof.nonce}`,
    `Issued At: ${proof.issuedAt}`,
    ...optional.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])),
    ...(resources.length === 0 ? [] : ['Resources:', ...resources.map((uri) => `- ${uri}`)]),
  ].join('\n');
}

const STATEMENT = 'Sign in to get again what this wallet has bought. You are not charged.';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function decodeHeader(header: string): unknown {
  if (header.length > SIGN_IN_CHARS_MAX || !BASE64.test(header)) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(header), toCode)));
  } catch {
    return undefined;
  }
}

function toCode(character: string): number {
  return character.charCodeAt(0);
}

const TEXT = { type: 'string' } as const;
const ADDRESS = { type: 'string', format: 'uri' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    domain: TEXT,
    address: TEXT,
    statement: TEXT,
    uri: ADDRESS,
    version: TEXT,
    chainId: TEXT,
    type: TEXT,
    nonce: TEXT,
    issuedAt: TIME,
    expirationTime: TIME,
    notBefore: TIME,
    requestId: TEXT,
    resources: { type: 'array', items: ADDRESS },
    signature: TEXT,
  },
  required: [
    ...(['domain', 'address', 'uri', 'version', 'chainId'] as const),
    ...(['type', 'nonce', 'issuedAt', 'signature'] as const),
  ],
} as const;
