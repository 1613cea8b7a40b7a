import { sha256Hex } from '../../domain/common/hash.ts';
import { type LlmModel, type LlmPort, offeredModels } from '../../domain/llm/llm.ts';
import type { TurnOrder } from '../../domain/panel/order.ts';

/** Models that are asked for one turn, one after the other. */
const MODELS_MAX = 3;
/** Panels whose slow seats are remembered; the oldest goes first. */
const PANELS_MAX = 1_000;

/** Seats whose model let a turn pass without an answer, by panel. A restart forgets them. */
export class SlowSeats {
  readonly #panels = new Map<string, Set<string>>();

  add({ turnId, seat }: TurnOrder): void {
    const panelId = panelIdOf(turnId);
    const seats = this.#panels.get(panelId) ?? new Set();
    this.#panels.delete(panelId);
    this.#panels.set(panelId, seats.add(seat.seatId));
    const [oldest] = this.#panels.keys();
    if (oldest !== undefined && this.#panels.size > PANELS_MAX) this.#panels.delete(oldest);
  }

  has({ turnId, seat }: TurnOrder): boolean {
    return this.#panels.get(panelIdOf(turnId))?.has(seat.seatId) === true;
  }
}

/** The panel that a turn is of. */
export function panelIdOf(turnId: string): string {
  return turnId.split('/', 1)[0] ?? turnId;
}

/**
 * The models that may take a turn, in the order in which they are asked: the seat's own, then
 * others that answer: good ones and other families first. A seat that was slow once on this panel
 * keeps nobody waiting again: its own model is left out.
 */
export function turnModels(
  order: TurnOrder,
  { llm, slow }: { readonly llm: LlmPort; readonly slow: SlowSeats },
): readonly string[] {
  const { seat, turnId } = order;
  const rank = ({ modelId, family }: LlmModel) => {
    const isDoubtful = llm.standingOf?.(modelId) === 'doubtful';
    return `${isDoubtful}|${family === seat.family}|${sha256Hex(`${turnId}|${modelId}`)}`;
  };
  const others = offeredModels(llm)
    .filter(({ modelId }) => modelId !== seat.model)
    .sort((left, right) => (rank(left) < rank(right) ? -1 : 1))
    .map(({ modelId }) => modelId);
  const isThere = llm.models.some(({ modelId }) => modelId === seat.model);
  const isFit = isThere && !slow.has(order);
  const isAnswering = isFit && llm.standingOf?.(seat.model) !== 'silent';
  // Where nobody else can, a model that failed is tried again.
  const own = isAnswering || (isFit && others.length === 0) ? [seat.model] : [];
  return [...own, ...others].slice(0, MODELS_MAX);
}
