import type { ListedTool } from '../../domain/tool/tool.ts';

/** Tools that wait for a job that another call has begun. */
const JOB_READERS = ['get_result'];

/**
 * Tells whether a call can be made again with the same arguments and payments without doing or
 * charging anything twice: a payment runs once, and an idempotent tool does.
 */
export function isRepeatable(tool: ListedTool | undefined): boolean {
  return tool !== undefined && (hasPrice(tool) || tool.annotations.idempotentHint);
}

/** Tells whether a call waits for a job, which goes on without it. */
export function isJobCall(tool: ListedTool | undefined): boolean {
  if (tool === undefined) return false;
  const price = tool._meta?.['price'] as { readonly flow?: unknown } | undefined;
  return price?.flow === 'upfront' || JOB_READERS.includes(tool.name);
}

function hasPrice({ _meta: meta }: ListedTool): boolean {
  return meta?.['price'] !== undefined;
}
