// One debate for all engines: eleven seats, an opening, two rebuttals and a vote, with seats that
// answer at once. Every rebuttal changes some minds, so that no round is left out.
import { createHash } from 'node:crypto';

/** Seats of the panel. */
export const SEATS = 11;
/** Rounds of rebuttal between opening and vote. */
export const REBUTTALS = 2;
/** Turns of one debate: three rounds and the vote. */
export const TURNS = SEATS * (REBUTTALS + 2);
/** What is decided between. */
export const OPTION_IDS = ['o1', 'o2', 'o3'];

const FAMILIES = ['gpt', 'claude', 'llama', 'qwen', 'mistral', 'gemini', 'deepseek'];

/** The seats, spread over model families. */
export const PANEL = Array.from({ length: SEATS }, (_, at) => {
  const family = FAMILIES[at % FAMILIES.length];
  const model = `openai:${family}-${Math.floor(at / FAMILIES.length) + 1}`;
  return { seatId: `s${at + 1}`, role: 'member', kind: 'llm', model, family };
});

/** The position of a seat in a round: three camps, of which every round moves the members. */
export function positionOf(seatId, round) {
  return OPTION_IDS[(Number(seatId.slice(1)) + round) % OPTION_IDS.length];
}

/** The record of a turn as a finished model call leaves it, without the call. */
export function instantTurn({ turnId, phase, round, seat, view }) {
  const { seatId, model } = seat;
  const position = positionOf(seatId, phase === 'vote' ? REBUTTALS : round);
  const before = view?.own?.position;
  const hasChanged = phase === 'rebuttal' && before !== undefined && before !== position;
  const sha = createHash('sha256').update(turnId).digest('hex');
  return {
    turnId,
    phase,
    round,
    seatId,
    status: 'ok',
    attempts: 1,
    position,
    argumentSha: sha,
    confidence: 0.7,
    evidenceIds: ['e1'],
    ...(phase === 'vote' ? { ranking: rankingFrom(position) } : {}),
    ...(hasChanged
      ? {
          changedFrom: before,
          changeReason: 'error: the cost was read wrongly',
          unsupportedFlip: false,
        }
      : {}),
    usage: { input: 1200, output: 180, cacheRead: 0, cacheWrite: 0, source: 'provider' },
    costMicroUsd: '2100',
    priceSource: `bench:${model}`,
    ms: 1,
    promptSha: sha,
    outputSha: sha,
    requestId: `req_${sha.slice(0, 24)}`,
  };
}

function rankingFrom(position) {
  return [position, ...OPTION_IDS.filter((optionId) => optionId !== position)];
}
