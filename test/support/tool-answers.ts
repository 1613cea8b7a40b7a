import { AppError } from '../../src/domain/common/error.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import type { ToolResult } from '../../src/domain/tool/tool-result.ts';
import { getResultTool } from '../../src/tools/job/get_result.ts';
import { type PanelWorld, toolContext } from './panel-world.ts';

/** All text of a tool result. */
export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** The state of a debate in a tool result. */
export function stateOf(result: ToolResult): DebateState {
  return DebateState.parse(result.structuredContent);
}

/** Moves the clock until the promise has settled; at most ten minutes in steps of a second. */
export async function drive<T>(world: PanelWorld, promise: Promise<T>): Promise<T> {
  let isOver = false;
  const watched = promise.finally(() => {
    isOver = true;
  });
  watched.catch(() => undefined);
  for (let step = 0; step < 600 && !isOver; step += 1) await world.clock.advance(1_000);
  return watched;
}

/** The error that work is refused with. */
export async function refusalOf(work: () => unknown): Promise<AppError> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  throw new Error('it was not refused');
}

/** Asks `get_result` without waiting, and with turns if there are any. */
export async function poll(world: PanelWorld, jobId: string, turns?: unknown) {
  const tool = getResultTool(world.deps());
  const input = tool.input.parse({ job_id: jobId, wait_s: 0, turns });
  return tool.run(input, toolContext().context);
}
