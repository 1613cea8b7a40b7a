import type { TurnOrder } from '../../domain/panel/order.ts';
import type { Turn } from '../../domain/panel/records.ts';
import { debateResult } from '../../domain/debate/report.ts';
import { transcriptRoot } from '../../domain/panel/transcript.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import type { LlmPort } from '../../domain/ports/llm.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import type { Sealed, SealOrder } from '../../machines/parts/panel-context.ts';
import { type Effect, type EffectContext, LATER } from '../../runtime/types.ts';
import { llmTurn } from './llm-turn.ts';
import { loadBrief, promptOf } from './prompt.ts';
import { ruleTurn } from './rule-turn.ts';
import { ballotsWithReasons, transcriptOf } from './transcript.ts';

/** Calls to one model that run at once, over all panels. */
export const CALLS_PER_MODEL_MAX = 8;

/** What the effects of a debate reach out with. */
export interface DebateDeps {
  readonly llm: LlmPort;
  readonly blobs: BlobStore;
}

/** The `turn` effect: one turn of one seat, by the kind of the seat. */
export function turnEffect(deps: DebateDeps): Effect<TurnOrder, Turn> {
  return {
    run: (order, context) => takeTurn(deps, order, context),
    timeoutMs: 5 * MINUTE_MS,
    limit: { max: CALLS_PER_MODEL_MAX, key: (order) => order.seat.model },
  };
}

async function takeTurn(
  deps: DebateDeps,
  order: TurnOrder,
  context: EffectContext,
): Promise<Turn | typeof LATER> {
  const { blobs, llm } = deps;
  const brief = loadBrief(blobs, order.briefSha);
  switch (order.seat.kind) {
    case 'rule':
      return ruleTurn(order, { brief, blobs });
    case 'llm': {
      const prompt = promptOf(order, { brief, blobs, models: llm.models });
      return llmTurn(order, { llm, blobs, brief, prompt, context });
    }
    case 'caller':
      // The caller reads the prompt from the effect's row and brings the turn by `supplyTurns`.
      return LATER;
  }
}

/** The `seal` effect: writes transcript and result; the same order writes the same bytes. */
export function sealEffect({ blobs }: DebateDeps): Effect<SealOrder, Sealed> {
  return {
    run: async (order) => {
      const brief = loadBrief(blobs, order.input.briefSha);
      const ballots = ballotsWithReasons(order.ballots, order.turns, blobs);
      const root = transcriptRoot(order.turns, ballots);
      const transcript = transcriptOf({ ...order, ballots }, { blobs, brief, root });
      const { options } = brief;
      const result = debateResult({ ...order, ballots, options, transcriptRoot: root });
      const [transcriptSha, resultSha] = await Promise.all([
        blobs.put(JSON.stringify(transcript)),
        blobs.put(JSON.stringify(result)),
      ]);
      return { transcriptSha, resultSha, transcriptRoot: root };
    },
    attempts: 5,
    timeoutMs: MINUTE_MS,
  };
}
