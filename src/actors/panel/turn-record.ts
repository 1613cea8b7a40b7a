import type { BlobStore } from '../../domain/common/blob-store.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import { isUnsupportedFlip, type SeatAnswer } from '../../domain/panel/answer.ts';
import type { TurnOrder } from '../../domain/panel/order.ts';
import { BALLOT_PHASE, type Turn } from '../../domain/panel/records.ts';

/** Usage of a turn that called no model. */
export const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  source: 'none',
} as const;

/** Facts recorded for every turn, successful or not. */
export type TurnFacts = Pick<
  Turn,
  | 'status'
  | 'attempts'
  | 'usage'
  | 'costMicroUsd'
  | 'priceSource'
  | 'ms'
  | 'promptSha'
  | 'outputSha'
  | 'requestId'
> &
  Partial<Pick<Turn, 'orphanedMicroUsd' | 'answeredBy' | 'detail'>>;

/** Returns the facts of a turn that called no model of this server and therefore costs nothing. */
export function freeTurnFacts(answer: SeatAnswer, promptSha: string): TurnFacts {
  return {
    status: 'ok',
    attempts: 1,
    usage: NO_USAGE,
    costMicroUsd: '0',
    priceSource: 'none',
    ms: 0,
    promptSha,
    outputSha: hashJson(answer),
    requestId: null,
  };
}

/** Creates the record of a turn without an answer. */
export function createUnansweredTurn(order: TurnOrder, facts: TurnFacts): Turn {
  const { turnId, phase, round, seat } = order;
  return { turnId, phase, round, seatId: seat.seatId, ...facts };
}

/**
 * Creates the record of a turn with its answer. Texts are stored before the turn refers to them.
 */
export async function createAnsweredTurn(
  order: TurnOrder,
  facts: TurnFacts,
  { answer, blobs }: { readonly answer: SeatAnswer; readonly blobs: BlobStore },
): Promise<Turn> {
  const { position, confidence, evidenceIds, ranking, equal, content, addressed } = answer;
  const argumentSha = await blobs.put(answer.argument);
  const contentSha = content === undefined ? undefined : await blobs.put(canonicalJson(content));
  return {
    ...createUnansweredTurn(order, facts),
    ...(position === undefined ? {} : { position }),
    argumentSha,
    confidence,
    evidenceIds: [...evidenceIds],
    ...(ranking === undefined ? {} : { ranking: [...ranking] }),
    ...(equal === undefined ? {} : { equal: equal.map((group) => [...group]) }),
    ...(contentSha === undefined ? {} : { contentSha }),
    ...(addressed === undefined ? {} : { addressed: [...addressed] }),
    ...changeFields(order, answer),
  };
}

/** Assigned positions and ballots do not count as a change of position. */
function changeFields(order: TurnOrder, answer: SeatAnswer): Partial<Turn> {
  const before = order.view?.own?.position;
  const isFree = order.phase === BALLOT_PHASE || order.devilAgainst !== undefined;
  const isSame = answer.position === undefined || before === answer.position;
  if (isFree || before === undefined || isSame) return {};
  const { changeReason } = answer;
  return {
    changedFrom: before,
    ...(changeReason === null ? {} : { changeReason }),
    unsupportedFlip: isUnsupportedFlip(answer, { position: before, citedIds: order.citedIds }),
  };
}
