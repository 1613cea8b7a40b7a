import { LRUCache } from 'lru-cache';
import { sha256Hex } from '../../domain/common/hash.ts';
import { type LlmModel, type LlmPort, listOfferedModels } from '../../domain/llm/llm.ts';
import type { TurnOrder } from '../../domain/panel/order.ts';

/** Maximum number of models tried per turn. */
const MODELS_MAX = 3;
/** Maximum number of panels whose slow seats are remembered. */
const PANELS_MAX = 1_000;

/** Seats whose model timed out, by panel, in memory. */
export class SlowSeats {
  readonly #panels = new LRUCache<string, Set<string>>({ max: PANELS_MAX });

  add({ turnId, seat }: TurnOrder): void {
    const panelId = panelIdOf(turnId);
    const seats = this.#panels.get(panelId) ?? new Set();
    this.#panels.set(panelId, seats.add(seat.seatId));
  }

  has({ turnId, seat }: TurnOrder): boolean {
    return this.#panels.get(panelIdOf(turnId))?.has(seat.seatId) === true;
  }
}

/** Returns the id of the panel that a turn belongs to. */
export function panelIdOf(turnId: string): string {
  return turnId.split('/', 1)[0] ?? turnId;
}

/**
 * Returns the models that may take a turn, in order. First the seat's own model, then other
 * available ones, preferring reliable models and other families. The own model of a seat that timed
 * out once is excluded.
 */
export function chooseTurnModels(
  order: TurnOrder,
  { llm, slow }: { readonly llm: LlmPort; readonly slow: SlowSeats },
): readonly string[] {
  const { seat, turnId } = order;
  const rank = ({ modelId, family }: LlmModel) => {
    const isDoubtful = llm.reliabilityOf?.(modelId) === 'doubtful';
    return `${isDoubtful}|${family === seat.family}|${sha256Hex(`${turnId}|${modelId}`)}`;
  };
  const others = listOfferedModels(llm)
    .filter(({ modelId }) => modelId !== seat.model)
    .sort((left, right) => (rank(left) < rank(right) ? -1 : 1))
    .map(({ modelId }) => modelId);
  const isThere = llm.models.some(({ modelId }) => modelId === seat.model);
  const isFit = isThere && !slow.has(order);
  const isAnswering = isFit && llm.reliabilityOf?.(seat.model) !== 'silent';
  // If no other model is available, retry a model that failed.
  const own = isAnswering || (isFit && others.length === 0) ? [seat.model] : [];
  return [...own, ...others].slice(0, MODELS_MAX);
}
