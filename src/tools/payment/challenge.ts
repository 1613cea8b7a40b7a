import type { Clock } from '../../domain/common/clock.ts';
import { capability } from '../../domain/common/id.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { Random } from '../../domain/common/random.ts';
import {
  FEE_BPS,
  PAYMENT_IDENTIFIER_EXTENSION,
  type PaymentRequired,
  type PaymentRequirements,
  REPEAT_KEY_EXTENSION,
  X402_VERSION,
} from '../../domain/payment/payment.ts';
import type { PaymentChain, PaymentFault } from '../../domain/payment/payment-chain.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { openOfferSigner } from './signed-offers.ts';

/** How long an authorization may be asked to last, in seconds: work and settlement fit into it. */
export const PAY_WITHIN_S = 300;

/** Builds challenges. Equal calls give equal requirements, so that an echo can be compared. */
export interface Challenger {
  /**
   * The one way to pay for a tool.
   *
   * @param facts - What `ready` said about this very call, such as the panel's mode.
   */
  offer(tool: Tool, facts?: JsonObject): PaymentRequirements;
  /** The challenge with its signed offer, and the reason why it is shown again, if it is. */
  challenge(ask: ChallengeAsk): Promise<PaymentRequired>;
}

/** What a challenge is made from. */
export interface ChallengeAsk {
  readonly tool: Tool;
  readonly offer: PaymentRequirements;
  /** Hash of the arguments that a payment is bound to. */
  readonly argsHash: string;
  readonly resourceUrl: string;
  readonly fault?: PaymentFault;
}

/** Opens a challenger over the chain that is paid on. */
export function createChallenger(deps: {
  readonly chain: PaymentChain;
  readonly clock: Clock;
  /** Makes the repeat keys; none are given without it. */
  readonly random?: Random;
}): Challenger {
  const { facts } = deps.chain;
  const signOffer = openOfferSigner(deps);

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
        name: facts.tokenName,
        version: facts.tokenVersion,
        feeBps: FEE_BPS,
        paymentFlow: price?.flow ?? 'authorization',
        ...(cancelTerms === undefined ? {} : { cancelTerms }),
        ...(Object.keys(readyFacts).length === 0 ? {} : { facts: readyFacts }),
      },
    };
  }

  async function challenge(ask: ChallengeAsk): Promise<PaymentRequired> {
    const { tool, offer: asked, argsHash, resourceUrl, fault } = ask;
    const base = {
      x402Version: X402_VERSION,
      error: fault === undefined ? 'Payment required' : `${fault.code}: ${fault.message}`,
      resource: { url: resourceUrl, description: tool.title, mimeType: 'application/json' },
      ...(fault === undefined ? {} : { code: fault.code, ...dataOf(fault) }),
    } as const;
    // While a payment may still go through, nothing is offered that a client could pay again.
    if (fault?.code === 'PAYMENT_PENDING') return { ...base, accepts: [] };
    const extensions = {
      ...(await signOffer(asked, resourceUrl)),
      ...ownParts(argsHash, deps.random),
    };
    return { ...base, accepts: [asked], extensions };
  }

  return { offer, challenge };
}

/**
 * Says that a payment identifier of the client's is taken, and gives a secret that never reaches
 * the chain to those who make none.
 */
function ownParts(argsHash: string, random: Random | undefined) {
  const identifier = { info: { required: false }, schema: IDENTIFIER_SCHEMA };
  const named = { [PAYMENT_IDENTIFIER_EXTENSION]: identifier };
  if (random === undefined) return named;
  const key = capability('pay', random);
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

function dataOf({ data }: PaymentFault) {
  return data === undefined || Object.keys(data).length === 0 ? {} : { data };
}
