// Language models that answer at once: what a debate costs when the models cost nothing.
import { OPTION_IDS, PANEL, positionOf, REBUTTALS } from '../lib/debate.mjs';

const CALLS_PER_DEBATE = REBUTTALS + 2;
const ARGUMENT =
  'It keeps the recovery time within what the team can bear, and its cost stays below the ' +
  'others. The scores for latency do not change that, as the load is far from where they matter.';

/** A model for every seat; each answers the phases of a debate in order, debate after debate. */
export function instantModels() {
  const calls = new Map(PANEL.map(({ model }) => [model, 0]));
  const seatOf = new Map(PANEL.map(({ model, seatId }) => [model, seatId]));
  return {
    models: PANEL.map(({ model, family }) => ({
      modelId: model,
      vendor: 'openai',
      model: model.slice(model.indexOf(':') + 1),
      family,
    })),
    maxCost: () => '4000',
    complete: async ({ modelId }) => {
      const call = calls.get(modelId);
      calls.set(modelId, (call + 1) % CALLS_PER_DEBATE);
      return replyOf(seatOf.get(modelId), call);
    },
  };
}

/** What a seat's model answers to a call of a debate, which are counted from 0. */
export function replyOf(seatId, call) {
  return replyWith(answerOf(seatId, call));
}

function answerOf(seatId, call) {
  const isVote = call === CALLS_PER_DEBATE - 1;
  const position = positionOf(seatId, isVote ? REBUTTALS : call);
  const answer = { position, argument: ARGUMENT, confidence: 0.7, evidenceIds: ['e1'] };
  if (isVote) {
    return { ...answer, ranking: [position, ...OPTION_IDS.filter((id) => id !== position)] };
  }
  if (call === 0) return answer;
  return { ...answer, changed: true, changeReason: 'error: the cost was read wrongly at first' };
}

function replyWith(value) {
  return {
    ok: true,
    text: JSON.stringify(value),
    usage: { input: 1200, output: 180, cacheRead: 0, cacheWrite: 0, source: 'provider' },
    costMicroUsd: '2100',
    priceSource: 'bench',
    requestId: 'req_bench',
    ms: 1,
  };
}
