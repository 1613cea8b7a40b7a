import { AppError } from '../../src/domain/common/error.ts';
import type { LlmModel, LlmPort } from '../../src/domain/llm/llm.ts';
import type { EgressPort } from '../../src/domain/net/egress.ts';
import type { PaymentPayload } from '../../src/domain/payment/payment.ts';
import type { PaymentChain } from '../../src/domain/payment/payment-chain.ts';
import type { MemoryPaymentChain } from '../support/chain-memory/memory-chain.ts';
import type { Gates } from './gates.ts';

/** The most that one call can cost, as the models say, in micro-dollars. */
const CUT_OFF_COST = '20';
/** What a turn costs otherwise, in micro-dollars. */
const TURN_COST = '1000';

/**
 * A chain whose answers wait at the gates `check`, `settle`, `lookUp` and `refund`. `late` and
 * `late_error` move the money and lose the answer; `lost` and `error` move nothing.
 */
export function gatedChain(chain: MemoryPaymentChain, gates: Gates): PaymentChain {
  const { faults } = chain;
  return {
    ...chain,
    checkOnChain: async (payload) => {
      const how = await gates.wait('check');
      if (how === 'error') throw unavailable();
      if (how === 'failed') spendElsewhere(chain, payload, `0x${'1'.repeat(64)}`);
      return chain.checkOnChain(payload);
    },
    settle: async (payload) => {
      const how = await gates.wait('settle');
      if (how === 'error') throw unavailable();
      if (how === 'late' || how === 'lost') faults.fates.push(how);
      if (how === 'failed') faults.fates.push('refused');
      const outcome = await chain.settle(payload);
      if (how === 'late_error') throw unavailable();
      return outcome;
    },
    queryOutcome: async (payload) => {
      const how = await gates.wait('lookUp');
      if (how === 'error') throw unavailable();
      if (how === 'unknown') return { state: 'unknown', transaction: null, detail: 'no node' };
      const { nonce } = payload.payload.authorization;
      if (how === 'failed') spendElsewhere(chain, payload, nonce);
      return chain.queryOutcome(payload);
    },
    transfer: async (order) => {
      const how = await gates.wait('refund');
      if (how === 'error') throw unavailable();
      if (how === 'failed') faults.fates.push('refused');
      const outcome = await chain.transfer(order);
      if (how === 'late_error') throw unavailable();
      return outcome;
    },
  };
}

/** A way out whose one host answers at the gate `work`: `ok`, or `error` for no answer at all. */
export function gatedEgress(gates: Gates): EgressPort {
  return {
    fetch: async ({ url }) => {
      const how = await gates.wait('work');
      if (how !== 'ok') throw new AppError('EGRESS_FAILED', { data: { kind: 'dns' } });
      const response = { status: 200, headers: {}, body: new Uint8Array(), redirects: [], ms: 1 };
      return { ...response, finalUrl: url };
    },
  };
}

/**
 * Five models of five families, whose turns wait at gates named by model id. An answer is said as
 * `ok:<option>:<cost>`; `invalid` fits no form, `error` breaks the call itself.
 */
export function gatedModels(gates: Gates): LlmPort {
  return {
    models: ['gpt', 'claude', 'llama', 'qwen', 'mistral'].map(modelOf),
    // A call that a kill cut off counts as this much: so little that no kill moves a debate.
    maxCost: () => CUT_OFF_COST,
    complete: async ({ modelId, signal, schema }) => {
      const [how, option = '', cost = TURN_COST] = (await gates.wait(modelId, signal)).split(':');
      if (how === 'error') throw new AppError('INTERNAL', { message: 'the client broke' });
      const billed = { ...BILLED, costMicroUsd: cost };
      if (how === 'aborted') return { ...billed, ok: false, failure: 'aborted', detail: 'aborted' };
      if (how === 'invalid') return { ...billed, ok: true, text: 'no answer at all' };
      const stand = schema.name.endsWith('vote') ? { ranking: [option] } : { position: option };
      const answer = { ...stand, argument: `for ${option}`, confidence: 0.6, evidenceIds: [] };
      return { ...billed, ok: true, text: JSON.stringify(answer) };
    },
  };
}

const BILLED = {
  usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, source: 'provider' },
  priceSource: 'model test',
  requestId: null,
  ms: 1,
} as const;

function modelOf(family: string): LlmModel {
  return { modelId: `openai:${family}-m`, vendor: 'openai', model: `${family}-m`, family };
}

function unavailable(): AppError {
  return new AppError('CHAIN_UNAVAILABLE');
}

/** The payer sends all that it has to somebody else, under a nonce of the caller's choice. */
function spendElsewhere(
  { ledger }: MemoryPaymentChain,
  { payload }: PaymentPayload,
  nonce: string,
): void {
  const { from } = payload.authorization;
  ledger.transfer({ from, to: `0x${'9'.repeat(40)}`, value: ledger.balance(from), nonce });
}
