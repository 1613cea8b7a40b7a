import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Environment, readSecret } from '../../config.ts';
import { createRequestSigner, type RequestSigner } from '../../connect/wallet/request-signer.ts';
import { readJsonWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError, ERRORS, type ErrorCode } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { trimEndChars } from '../../domain/common/text.ts';
import { WALLET_HEADER, type WalletDomain } from '../../domain/wallet/wallet-request.ts';
import { readReady } from '../../process/server/ready-file.ts';

/** A client of a server, for a wallet. */
export interface WalletClient {
  /** @throws {AppError} the server's own refusal, or `SERVER_UNREACHABLE` */
  get(path: string): Promise<JsonResponse>;
  /** Sends a body without a wallet signature. */
  post(path: string, body: object): Promise<JsonResponse>;
  /** Sends a body with a wallet signature. */
  postSigned(path: string, body: object, signer: RequestSigner): Promise<JsonResponse>;
}

/** A JSON response of a server. */
export interface JsonResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const TIMEOUT_MS = 60_000;
const ACCEPT = { accept: 'application/json' } as const;
const VARIABLE = 'STOA_WALLET_KEY';
const Sign = z.object({
  domain: z.object({
    chainId: z.int().positive(),
    verifyingContract: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  }),
});

/**
 * Creates a client for the server of a data directory or of a URL.
 *
 * @throws {AppError} `NOT_CONFIGURED` if none runs there, `CONFIG_INVALID` for an invalid URL
 */
export function createClient(flags: { readonly data: string; readonly url?: string | undefined }) {
  return createWalletClient(resolveBaseUrl(flags));
}

/**
 * Opens the wallet of `--key-file`, `STOA_WALLET_KEY` or `STOA_WALLET_KEY_FILE`.
 *
 * @throws {AppError} `CONFIG_INVALID` if there is none, or if it has no valid key.
 */
export function openSigner(keyFile: string | undefined, env: Environment): RequestSigner {
  if (keyFile !== undefined) return createRequestSigner(readKey(keyFile), keyFile);
  const key = readSecret(VARIABLE, env);
  if (key !== undefined) return createRequestSigner(key, VARIABLE);
  throw new AppError('CONFIG_INVALID', {
    message: `The wallet is missing. Pass --key-file, or set ${VARIABLE} or ${VARIABLE}_FILE.`,
  });
}

function createWalletClient(baseUrl: string): WalletClient {
  const ask = (path: string, init: RequestInit) => fetchJson(`${baseUrl}${path}`, init);
  const posted = (path: string, body: string, header?: string) =>
    ask(path, {
      method: 'POST',
      headers: {
        ...ACCEPT,
        'content-type': 'application/json',
        ...(header === undefined ? {} : { [WALLET_HEADER]: header }),
      },
      body,
    });
  return {
    get: async (path) => requireSuccess(await ask(path, { headers: ACCEPT })),
    post: async (path, body) => requireSuccess(await posted(path, JSON.stringify(body))),
    postSigned: async (path, body, signer) => {
      const text = JSON.stringify(body);
      // The unsigned request returns the chain and contract for the signature.
      const domain = readSigningDomain(await posted(path, text));
      const request = { method: 'POST', path, body: new TextEncoder().encode(text) };
      // Use the dialed origin, not the server's claim: it could replay the request elsewhere.
      const place = { origin: new URL(baseUrl).origin, domain };
      const header = await signer.header(request, place, Date.now());
      return requireSuccess(await posted(path, text, header));
    },
  };
}

function readSigningDomain(answer: JsonResponse): WalletDomain {
  if (answer.body['error'] !== 'WALLET_REQUIRED') requireSuccess(answer);
  const data = answer.body['data'];
  const allowed = isObject(data) ? data['allowed'] : undefined;
  const sign = Sign.safeParse(isObject(allowed) ? allowed['sign'] : undefined);
  if (sign.success) return sign.data.domain;
  throw new AppError('SERVER_UNREACHABLE', {
    message: 'The server does not state what wallets must sign. Is it a Stoa server?',
  });
}

async function fetchJson(url: string, init: RequestInit): Promise<JsonResponse> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    throw new AppError('SERVER_UNREACHABLE', { data: { url }, cause });
  }
  const body = await readJsonWithin(answer.body).catch(() => undefined);
  return { status: answer.status, body: isObject(body) ? body : {} };
}

/** Returns a successful response; throws the error of any other. */
function requireSuccess(answer: JsonResponse): JsonResponse {
  const { body, status } = answer;
  if (status >= 200 && status < 300) return answer;
  const { error, message, data } = body;
  const isKnown = typeof error === 'string' && Object.hasOwn(ERRORS, error);
  throw new AppError(isKnown ? (error as ErrorCode) : 'SERVER_UNREACHABLE', {
    message: typeof message === 'string' ? message : `The server answered ${status}.`,
    ...(isObject(data) ? { data } : {}),
  });
}

function resolveBaseUrl({
  data,
  url,
}: {
  readonly data: string;
  readonly url?: string | undefined;
}) {
  if (url !== undefined) {
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return trimEndChars(url, '/');
    throw new AppError('CONFIG_INVALID', {
      message: `--url is ${JSON.stringify(url)}; it must be an absolute http or https address.`,
    });
  }
  const dataDir = resolve(data);
  const ready = readReady(dataDir);
  if (ready !== undefined) return ready.base_url;
  throw new AppError('NOT_CONFIGURED', {
    message: 'No server runs on this data directory. Start one with `npm start`, or pass --url.',
    data: { data_dir: dataDir },
  });
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', {
      message: 'The key file cannot be read.',
      data: { file },
      cause,
    });
  }
}
