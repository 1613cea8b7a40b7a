import { z } from 'zod';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError } from '../../domain/common/error.ts';
import { parseText, type SeatAnswer } from '../../domain/panel/answer.ts';
import type { PanelBrief, PanelDefinition } from '../../domain/panel/definition.ts';
import type { TurnOrder } from '../../domain/panel/order.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { openCallerTurns, type PanelReadDeps } from './panel-state.ts';
import { readPanelJob } from './panel-view.ts';
import { createPrompt, loadBrief } from './turn-prompt.ts';
import { createAnsweredTurn, freeTurnFacts } from './turn-record.ts';

/** A turn supplied by the caller's agent. The answer is an object or raw model output. */
export const SuppliedTurn = z.strictObject({
  turn_id: z.string().max(40).describe('Id of the prompt.'),
  answer: z
    .union([z.record(z.string(), z.unknown()), z.string().max(65_536)])
    .describe('The answer, as an object or as the output of a model.'),
});
/** A parsed supplied turn. */
export type SuppliedTurn = z.infer<typeof SuppliedTurn>;

/**
 * Accepts turns for seats that the caller's agent fills. Open turns may be supplied in several
 * calls. If any turn of a call is invalid, none is accepted.
 *
 * @throws {AppError} `JOB_UNKNOWN`; `AGENT_TURNS_REFUSED` with one line per error
 */
export async function supplyTurns(
  deps: PanelReadDeps,
  jobId: string,
  turns: readonly SuppliedTurn[],
): Promise<void> {
  const view = await readPanelJob(deps.engine, jobId, deps.panels);
  const { panel } = view;
  const panelWithBrief = {
    panel,
    brief: loadBrief(panel, deps.blobs, view.context.input.briefSha),
  };
  const open = new Map(openCallerTurns(view).map((one) => [one.row.childId, one]));
  const faults: { turn_id: string; faults: readonly string[] }[] = [];
  const accepted: { token: string; order: TurnOrder; answer: SeatAnswer }[] = [];
  const seen = new Set<string>();
  for (const { turn_id, answer } of turns) {
    const asked = open.get(turn_id);
    const checked = seen.has(turn_id)
      ? DUPLICATE_TURN
      : checkTurn(asked?.order, answer, panelWithBrief);
    seen.add(turn_id);
    if (!checked.ok) faults.push({ turn_id, faults: checked.faults });
    else if (asked !== undefined) {
      accepted.push({ token: asked.row.token, order: asked.order, answer: checked.answer });
    }
  }
  if (faults.length > 0) throw rejectionError(faults, [...open.keys()]);
  for (const one of accepted) await completeTurn(deps, one, panelWithBrief);
}

const DUPLICATE_TURN = { ok: false, faults: ['the turn is supplied twice'] } as const;

interface PanelWithBrief {
  readonly panel: PanelDefinition;
  readonly brief: PanelBrief;
}

function checkTurn(
  order: TurnOrder | undefined,
  answer: SuppliedTurn['answer'],
  { panel, brief }: PanelWithBrief,
) {
  if (order === undefined) return { ok: false, faults: ['no open turn has this id'] } as const;
  const parse = (value: unknown) => panel.parse(value, { order, brief });
  return typeof answer === 'string' ? parseText(answer, parse) : parse(answer);
}

async function completeTurn(
  { engine, blobs }: PanelReadDeps,
  { token, order, answer }: { token: string; order: TurnOrder; answer: SeatAnswer },
  asking: PanelWithBrief,
): Promise<void> {
  const facts = freeTurnFacts(answer, await storePrompt(order, asking, blobs));
  const output = await createAnsweredTurn(order, facts, { answer, blobs });
  try {
    await engine.complete(token, { ok: true, output });
  } catch (thrown) {
    // The phase has ended, by its deadline or by another call with the same turn.
    if (!isEngineCode(thrown, 'EFFECT_UNKNOWN')) throw thrown;
    throw rejectionError([{ turn_id: order.turnId, faults: ['the turn is no longer open'] }], []);
  }
}

function storePrompt(
  order: TurnOrder,
  { panel, brief }: PanelWithBrief,
  blobs: BlobStore,
): Promise<string> {
  const { system, prompt } = createPrompt(panel, order, { brief, blobs, models: [] });
  return blobs.put(`${system}\n\n${prompt}`);
}

function rejectionError(
  faults: readonly { turn_id: string; faults: readonly string[] }[],
  open: readonly string[],
): AppError {
  const lines = faults.map((one) => `${one.turn_id}: ${one.faults.join(', ')}`);
  const message = `No turn was accepted. ${lines.join('; ')}`;
  return new AppError('AGENT_TURNS_REFUSED', { message, data: { faults, open_turns: open } });
}
