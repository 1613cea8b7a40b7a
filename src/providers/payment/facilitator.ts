import { z } from 'zod';
import { readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError, invalidSetting } from '../../domain/common/error.ts';
import { trimEndChars } from '../../domain/common/text.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type PaymentPayload, X402_VERSION } from '../../domain/payment/payment.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';

/** A facilitator of others, and the `Authorization` header for it, if it wants one. */
export interface FacilitatorSettings {
  readonly url: string;
  readonly authorization?: string;
}

/** A remote x402 facilitator. It checks payments and sends them to the chain at its own cost. */
export interface Facilitator {
  /** What it wants to find in `extra` of the payment requirements. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Longest wait for the chain to show a settlement, in milliseconds. */
  readonly proofMs: number;
  /**
   * Returns why the facilitator rejects a payment, if it does.
   *
   * @throws {AppError} `FACILITATOR_UNAVAILABLE`
   */
  verify(payload: PaymentPayload): Promise<PaymentFailure | undefined>;
  /**
   * Asks the facilitator to settle. What it answers is a claim: only the chain proves it.
   *
   * @returns Why it did not settle, by its own account.
   * @throws {AppError} `FACILITATOR_UNAVAILABLE`. The payment may have settled all the same.
   */
  settle(payload: PaymentPayload): Promise<PaymentFailure | undefined>;
}

/**
 * Timeouts of a facilitator's answers, and the longest wait for the chain to show a settlement
 * afterwards, in milliseconds. A facilitator answers `settle` when it has a block.
 */
export const FACILITATOR_MS = {
  supported: 10 * SECOND_MS,
  verify: 10 * SECOND_MS,
  settle: 30 * SECOND_MS,
  proof: 20 * SECOND_MS,
} as const;
/** Largest answer of a facilitator, in bytes. Those with many networks list all of them. */
export const FACILITATOR_ANSWER_BYTES_MAX = 1_048_576;

/**
 * Reads the settings of a remote facilitator.
 *
 * @param secret - Returns a variable, or the content of the file that `<name>_FILE` names.
 * @returns `undefined` if none is configured.
 * @throws {AppError} `CONFIG_INVALID`, without the URL, which may contain a key
 */
export function readFacilitatorSettings(
  secret: (name: string) => string | undefined,
): FacilitatorSettings | undefined {
  const url = trimEndChars(secret(URL_VARIABLE) ?? '', '/');
  const authorization = secret('STOA_FACILITATOR_AUTHORIZATION');
  if (url === '') {
    if (authorization === undefined) return undefined;
    throw invalidSetting(URL_VARIABLE, '', 'set beside STOA_FACILITATOR_AUTHORIZATION');
  }
  if (!isSafe(url)) throw invalidSetting(URL_VARIABLE, 'not such an address', ALLOWED_URLS);
  return { url, ...(authorization === undefined ? {} : { authorization }) };
}

/**
 * Connects to a facilitator, and checks that it settles this server's payments.
 *
 * @param network - CAIP-2.
 * @throws {AppError} `CONFIG_INVALID` if it does not, `FACILITATOR_UNAVAILABLE`
 */
export async function openFacilitator(
  options: FacilitatorOptions,
  network: string,
): Promise<Facilitator> {
  const settings = { limitsMs: FACILITATOR_MS, ...options };
  const { kinds } = (await ask(settings, 'supported', Supported)).reply;
  const kind = kinds.find(
    (each) =>
      each.x402Version === X402_VERSION &&
      each.scheme === SCHEME &&
      [network, ANY_EVM_NETWORK].includes(each.network),
  );
  if (kind === undefined) throw unsupported(settings, network, kinds);
  return {
    extra: kind.extra ?? {},
    proofMs: settings.limitsMs.proof,
    verify: async (payload) => {
      const { isOk, status, reply } = await ask(settings, 'verify', Verified, payload);
      if (!reply.isValid) return refusal(reply.invalidReason, reply.invalidMessage);
      if (!isOk) throw unavailable(settings, `HTTP ${status}`);
      return undefined;
    },
    settle: async (payload) => {
      const { reply } = await ask(settings, 'settle', Settled, payload);
      return reply.success ? undefined : refusal(reply.errorReason, reply.errorMessage);
    },
  };
}

/** The settings of a facilitator, with other times than `FACILITATOR_MS`. */
export interface FacilitatorOptions extends FacilitatorSettings {
  readonly limitsMs?: Readonly<Record<keyof typeof FACILITATOR_MS, number>>;
}

const URL_VARIABLE = 'STOA_FACILITATOR_URL';
const ALLOWED_URLS = 'an https address, or an http address of this machine';
const SCHEME = 'exact';
const ANY_EVM_NETWORK = 'eip155:*';
const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];
/** Longest text of others in an error, in characters. */
const REASON_CHARS_MAX = 200;
/** Kinds that an error lists. */
const KINDS_SHOWN_MAX = 10;

const Text = z.string().nullish();
const Supported = z.object({
  kinds: z.array(
    z.object({
      x402Version: z.number(),
      scheme: z.string(),
      network: z.string(),
      extra: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
});
const Verified = z.object({ isValid: z.boolean(), invalidReason: Text, invalidMessage: Text });
const Settled = z.object({ success: z.boolean(), errorReason: Text, errorMessage: Text });

interface Answer<Reply> {
  readonly isOk: boolean;
  readonly status: number;
  readonly reply: Reply;
}

/**
 * Sends one request. A redirect fails: it would show the payment to another host. `reply` is what
 * the body says, whatever the status: facilitators explain refusals with 4xx and 5xx.
 */
async function ask<Reply>(
  settings: Required<Pick<FacilitatorOptions, 'limitsMs'>> & FacilitatorSettings,
  operation: 'settle' | 'supported' | 'verify',
  shape: z.ZodType<Reply>,
  payload?: PaymentPayload,
): Promise<Answer<Reply>> {
  const { url, authorization, limitsMs } = settings;
  const signal = AbortSignal.timeout(limitsMs[operation]);
  const headers = {
    accept: 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
  };
  try {
    const response = await fetch(`${url}/${operation}`, {
      redirect: 'error',
      signal,
      ...(payload === undefined ? { headers } : toPost(headers, payload)),
    });
    const bytesMax = FACILITATOR_ANSWER_BYTES_MAX;
    const text = await readTextWithin(response.body, { bytesMax, signal });
    const { ok: isOk, status } = response;
    const parsed = shape.safeParse(parseJson(text));
    if (!parsed.success) throw unavailable(settings, `HTTP ${status}, unreadable`);
    return { isOk, status, reply: parsed.data };
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'FACILITATOR_UNAVAILABLE') throw thrown;
    throw unavailable(settings, signal.aborted ? 'no answer in time' : 'no connection', thrown);
  }
}

function toPost(headers: Readonly<Record<string, string>>, payload: PaymentPayload) {
  return {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      x402Version: X402_VERSION,
      paymentPayload: payload,
      paymentRequirements: payload.accepted,
    }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname));
}

function refusal(
  reason: string | null | undefined,
  message: string | null | undefined,
): PaymentFailure {
  const [text = ''] = (reason || message || 'no reason').slice(0, REASON_CHARS_MAX).split('\n');
  return {
    code: 'SETTLEMENT_FAILED',
    message: `The facilitator rejects the payment now: ${text}`,
    data: { reason: (reason ?? '').slice(0, REASON_CHARS_MAX) },
  };
}

/** Only the origin is named: the path of a facilitator may contain a key. */
function unavailable({ url }: FacilitatorSettings, received: string, cause?: unknown): AppError {
  const { origin } = new URL(url);
  return new AppError('FACILITATOR_UNAVAILABLE', {
    message: `The payment facilitator ${origin} does not respond as one: ${received}.`,
    data: { facilitator: origin, received },
    cause,
  });
}

function unsupported(
  { url }: FacilitatorSettings,
  network: string,
  kinds: z.infer<typeof Supported>['kinds'],
): AppError {
  const { origin } = new URL(url);
  const offered = kinds
    .slice(0, KINDS_SHOWN_MAX)
    .map((kind) => `${kind.scheme} on ${kind.network} (v${kind.x402Version})`);
  return new AppError('CONFIG_INVALID', {
    message:
      `The facilitator ${origin} does not settle ${SCHEME} on ${network} with x402 version ` +
      `${X402_VERSION}. It offers: ${offered.join(', ') || 'nothing'}. Set ${URL_VARIABLE} to ` +
      'one that does, or unset it: the server then settles with its own key.',
    data: { name: URL_VARIABLE, received: offered, allowed: `${SCHEME} on ${network}` },
  });
}
