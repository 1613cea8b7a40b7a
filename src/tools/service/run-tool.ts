import { type AppError, toAppError } from '../../domain/common/error.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../domain/tool/tool.ts';
import { type ToolResult, toErrorResult } from '../../domain/tool/tool-result.ts';

/** Runs a free tool; failures are error results. */
export async function runFree(
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  try {
    tool.checkReady?.(input);
    return await tool.run(input, context);
  } catch (thrown) {
    return toErrorResult(toAppError(thrown));
  }
}

/** Runs a tool whose readiness was checked; failures are error results. */
export async function runTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  try {
    return await tool.run(input, context);
  } catch (thrown) {
    return toErrorResult(toAppError(thrown));
  }
}

/**
 * Runs what follows a settlement. An error here is not stored: the same call with the same payment
 * tries again.
 */
export async function finishTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  result: ToolResult,
): Promise<ToolResult> {
  try {
    return (await tool.finish?.(input, context, result)) ?? result;
  } catch (thrown) {
    return toErrorResult(toAppError(thrown));
  }
}

/** Returns the outcome of a call that failed. */
export function errorOutcome(error: AppError): ToolOutcome {
  return { kind: 'result', result: toErrorResult(error) };
}
