import type { BlobStore } from '../../domain/common/blob-store.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import { type Answer, isUnsupportedFlip } from '../../domain/panel/answer.ts';
import type { TurnOrder } from '../../domain/panel/order.ts';
import { BALLOT_PHASE, type Turn } from '../../domain/panel/records.ts';

/** What no model was asked for. */
export const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  source: 'none',
} as const;

/** What is known of every turn, good or bad. */
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

/** What is known of a turn that no model of ours has taken: nothing of it was bought here. */
export function unboughtFacts(answer: Answer, promptSha: string): TurnFacts {
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

/** Writes a turn without an answer. */
export function turnWithoutAnswer(order: TurnOrder, facts: TurnFacts): Turn {
  const { turnId, phase, round, seat } = order;
  return { turnId, phase, round, seatId: seat.seatId, ...facts };
}

/** Writes a turn with its answer; the texts are kept before the turn refers to them. */
export async function turnWithAnswer(
  order: TurnOrder,
  facts: TurnFacts,
  { answer, blobs }: { readonly answer: Answer; readonly blobs: BlobStore },
): Promise<Turn> {
  const { position, confidence, evidenceIds, ranking, equal, content, addressed } = answer;
  const argumentSha = await blobs.put(answer.argument);
  const contentSha = content === undefined ? undefined : await blobs.put(canonicalJson(content));
  return {
    ...turnWithoutAnswer(order, facts),
    ...(position === undefined ? {} : { position }),
    argumentSha,
    confidence,
    evidenceIds: [...evidenceIds],
    ...(ranking === undefined ? {} : { ranking: [...ranking] }),
    ...(equal === undefined ? {} : { equal: equal.map((group) => [...group]) }),
    ...(contentSha === undefined ? {} : { contentSha }),
    ...(addressed === undefined ? {} : { addressed: [...addressed] }),
    ...changePart(order, answer),
  };
}

/** An assigned argument is no change of mind, and a ballot is free. */
function changePart(order: TurnOrder, answer: Answer): Partial<Turn> {
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
