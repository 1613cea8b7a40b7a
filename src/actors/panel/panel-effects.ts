import type { BlobStore } from '../../domain/common/blob-store.ts';
import { invariant } from '../../domain/common/error.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { PanelBrief, PanelDefinition } from '../../domain/panel/definition.ts';
import type { TurnOrder } from '../../domain/panel/order.ts';
import type { Turn } from '../../domain/panel/records.ts';
import { computeTranscriptRoot } from '../../domain/panel/transcript.ts';
import type {
  ComputeInput,
  PanelSealInput,
  PhaseNote,
  SealedPanel,
} from '../../machines/panel/panel-context.ts';
import { type Effect, type EffectContext, LATER } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { takeLlmTurn } from './llm-turn.ts';
import { addBallotReasons, addTurnTexts, createTranscript } from './transcript.ts';
import { panelIdOf, SlowSeats } from './turn-models.ts';
import { createPrompt, createPromptFacts, loadBrief, loadNotes } from './turn-prompt.ts';
import { createAnsweredTurn, freeTurnFacts } from './turn-record.ts';

/**
 * Maximum number of concurrent calls per panel and model, so that panels do not block each other.
 */
const CALLS_PER_PANEL_MAX = 6;

type Ports = Pick<Services, 'blobs' | 'llm'>;

/** Creates the `turn` effect, which takes one turn of a seat. */
export function createTurnEffect(panel: PanelDefinition, deps: Ports): Effect<TurnOrder, Turn> {
  const slow = new SlowSeats();
  return {
    run: (order, context) => takeTurn(panel, { ...deps, slow }, { order, context }),
    timeoutMs: 5 * MINUTE_MS,
    limit: {
      max: CALLS_PER_PANEL_MAX,
      key: ({ turnId, seat }) => `${panelIdOf(turnId)} ${seat.model}`,
    },
  };
}

async function takeTurn(
  panel: PanelDefinition,
  { blobs, llm, slow }: Ports & { readonly slow: SlowSeats },
  { order, context }: { readonly order: TurnOrder; readonly context: EffectContext },
): Promise<Turn | typeof LATER> {
  const brief = loadBrief(panel, blobs, order.briefSha);
  switch (order.seat.kind) {
    case 'rule':
      return takeRuleTurn(panel, order, { brief, blobs });
    case 'llm': {
      const prompt = createPrompt(panel, order, { brief, blobs, models: llm.models });
      const parse = (value: unknown) => panel.parse(value, { order, brief });
      return takeLlmTurn(order, { llm, blobs, parse, prompt, context, slow });
    }
    case 'caller':
      // The caller reads the prompt from the effect row and submits the turn through `supplyTurns`.
      return LATER;
  }
}

/** Takes a turn with the seat's rule. */
async function takeRuleTurn(
  panel: PanelDefinition,
  order: TurnOrder,
  { brief, blobs }: { readonly brief: PanelBrief; readonly blobs: BlobStore },
): Promise<Turn> {
  const answer = panel.applyRule(order, createPromptFacts(order, { brief, blobs, models: [] }));
  const facts = freeTurnFacts(answer, order.briefSha);
  return createAnsweredTurn(order, facts, { answer, blobs });
}

/** Creates the `compute` effect, which runs a code phase. The same order gives the same note. */
export function createComputeEffect(
  panel: PanelDefinition,
  { blobs }: Ports,
): Effect<ComputeInput, PhaseNote> {
  return {
    run: async ({ phase: name, briefSha, seats, policy = {}, turns, notes }) => {
      const phase = panel.phases.find((one) => one.name === name);
      invariant(phase?.by === 'code', 'a panel computes in its phases of code');
      const { content, summary } = phase.compute({
        brief: loadBrief(panel, blobs, briefSha),
        seats,
        policy,
        turns: addTurnTexts(turns, blobs),
        notes: loadNotes(blobs, notes),
      });
      return { sha: await blobs.put(canonicalJson(content)), summary };
    },
    attempts: 5,
    timeoutMs: MINUTE_MS,
  };
}

/**
 * Creates the `seal` effect, which writes transcript and result. The same order writes the same
 * bytes.
 */
export function createPanelSealEffect(
  panel: PanelDefinition,
  { blobs }: Ports,
): Effect<PanelSealInput, SealedPanel> {
  return {
    run: async ({ notes: shas, ...order }) => {
      const brief = loadBrief(panel, blobs, order.input.briefSha);
      const ballots = addBallotReasons(order.ballots, order.turns, blobs);
      const notes = loadNotes(blobs, shas);
      const root = computeTranscriptRoot(order.turns, ballots, notes);
      const facts = { ...order, ballots, notes };
      const visibleBrief = panel.publicBrief?.(brief) ?? brief;
      const transcriptFacts = { ...facts, kind: panel.kind };
      const transcript = createTranscript(transcriptFacts, { blobs, brief: visibleBrief, root });
      const turns = addTurnTexts(order.turns, blobs);
      const result = panel.report({ ...facts, turns, brief, transcriptRoot: root });
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
