import type { Clock } from '../../domain/common/clock.ts';
import { createCapability } from '../../domain/common/id.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { Random } from '../../domain/common/random.ts';
import { iconUrl } from '../../domain/manifest/icon.ts';
import {
  FEE_BPS,
  PAYMENT_IDENTIFIER_EXTENSION,
  type PaymentRequired,
  type PaymentRequirements,
  REPEAT_KEY_EXTENSION,
  X402_VERSION,
} from '../../domain/payment/payment.ts';
import type { PaymentChain, PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import type { SignInExtension } from '../../domain/wallet/sign-in.ts';
import { type BazaarExtension, describeService } from './bazaar.ts';
import { createOfferSigner } from './signed-offers.ts';

/** Validity of a requested authorization, in seconds; enough for the work and its settlement. */
export const PAY_WITHIN_S = 300;

/** Builds payment challenges. Equal calls give equal requirements, so that echoes compare equal. */
export interface Challenger {
  /**
   * Returns the payment requirements of a tool.
   *
   * @param facts - What `checkReady` returned for this call, such as the panel's mode.
   */
  offer(tool: Tool, facts?: JsonObject): PaymentRequirements;
  /** Returns the challenge with its signed offer, and the payment error if there was one. */
  challenge(ask: ChallengeRequest): Promise<PaymentRequired>;
}

/** The input of a challenge. */
export interface ChallengeRequest {
  readonly tool: Tool;
  readonly offer: PaymentRequirements;
  /** Hash of the arguments to which a payment is bound. */
  readonly argsHash: string;
  /** Bound to the tool and the arguments. */
  readonly resourceUrl: string;
  /** How catalogues of paid tools list this one. */
  readonly catalogue: BazaarExtension | undefined;
  /** Lets the wallet get again what it has bought. */
  readonly signIn?: SignInExtension | undefined;
  readonly fault?: PaymentFailure;
}

/** Creates a challenger for the payment chain. */
export function createChallenger(deps: {
  readonly chain: PaymentChain;
  readonly clock: Clock;
  /** Generates repeat keys; without it, challenges have none. */
  readonly random?: Random;
}): Challenger {
  const { facts } = deps.chain;
  const signOffer = createOfferSigner(deps);

  function offer(tool: Tool, readyFacts: JsonObject = {}): PaymentRequirements {
    const { price, cancelTerms } = tool;
    return {
      scheme: 'exact',
      network: facts.network,
      amount: price?.amount ?? '0',
      asset: facts.token,
      payTo: facts.treasury,
      maxTimeoutSeconds: PAY_WITHIN_S,
      extra: {
        ...facts.facilitatorExtra,
        name: facts.tokenName,
        version: facts.tokenVersion,
        feeBps: FEE_BPS,
        paymentFlow: price?.flow ?? 'authorization',
        ...(cancelTerms === undefined ? {} : { cancelTerms }),
        ...(Object.keys(readyFacts).length === 0 ? {} : { facts: readyFacts }),
      },
    };
  }

  async function challenge(ask: ChallengeRequest): Promise<PaymentRequired> {
    const { tool, offer: terms, argsHash, resourceUrl, catalogue, signIn, fault } = ask;
    const base = {
      x402Version: X402_VERSION,
      error: fault === undefined ? 'Payment required' : `${fault.code}: ${fault.message}`,
      resource: describeResource(tool, resourceUrl),
      ...(fault === undefined ? {} : { code: fault.code, ...dataOf(fault) }),
    } as const;
    // A pending payment can still settle; an offer would invite a second payment.
    if (fault?.code === 'PAYMENT_PENDING') return { ...base, accepts: [] };
    const extensions = {
      ...(await signOffer(terms, resourceUrl)),
      ...ownExtensions(argsHash, deps.random),
      ...catalogue,
      ...signIn,
    };
    return { ...base, accepts: [terms], extensions };
  }

  return { offer, challenge };
}

/** Returns what a challenge and a catalogue say about the resource of a call. */
export function describeResource(tool: Tool, url: string) {
  const { title: description } = tool;
  const icon = iconUrl(url);
  return {
    url,
    description,
    mimeType: 'application/json',
    ...describeService(tool),
    ...(icon === undefined ? {} : { iconUrl: icon }),
  };
}

/**
 * Returns the extensions of a challenge: the server accepts a client's payment identifier, and
 * offers a secret repeat key, which never reaches the chain, to clients without one.
 */
function ownExtensions(argsHash: string, random: Random | undefined) {
  const identifier = { info: { required: false }, schema: IDENTIFIER_SCHEMA };
  const named = { [PAYMENT_IDENTIFIER_EXTENSION]: identifier };
  if (random === undefined) return named;
  const key = createCapability('pay', random);
  return {
    ...named,
    [REPEAT_KEY_EXTENSION]: { info: { key, call: argsHash }, schema: REPEAT_KEY_SCHEMA },
  };
}

const IDENTIFIER_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    required: { type: 'boolean' },
    id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
  },
  required: ['required'],
} as const;
const REPEAT_KEY_SCHEMA = {
  type: 'object',
  properties: {
    key: { type: 'string', pattern: '^[a-zA-Z0-9_-]{16,128}$' },
    call: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  required: ['key'],
} as const;

function dataOf({ data }: PaymentFailure) {
  return data === undefined || Object.keys(data).length === 0 ? {} : { data };
}
