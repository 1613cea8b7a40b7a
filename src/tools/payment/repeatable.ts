import type { ListedTool } from '../../domain/tool/tool.ts';

/** Tools that wait for a job that another call started. */
const JOB_READERS = ['get_result'];

/**
 * Returns true if repeating a call with the same arguments and payments has no second effect and no
 * second charge: a payment runs once, and so does an idempotent tool.
 */
export function isRepeatable(tool: ListedTool | undefined): boolean {
  return tool !== undefined && (hasPrice(tool) || tool.annotations.idempotentHint);
}

/** Returns true if a call waits for a job, which continues without the call. */
export function isJobCall(tool: ListedTool | undefined): boolean {
  if (tool === undefined) return false;
  const price = tool._meta?.['price'] as { readonly flow?: unknown } | undefined;
  return price?.flow === 'upfront' || JOB_READERS.includes(tool.name);
}

function hasPrice({ _meta: meta }: ListedTool): boolean {
  return meta?.['price'] !== undefined;
}
