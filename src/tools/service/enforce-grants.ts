import { AppError } from '../../domain/common/error.ts';
import type { Grant, ToolCall, ToolOutcome, ToolService } from '../../domain/tool/tool.ts';
import { toErrorResult } from '../../domain/tool/tool-result.ts';
import type { ToolInterceptor } from './intercept-calls.ts';
import { ALL_GROUPS, CORE_GROUP, groupOf } from './tool-groups.ts';

/**
 * Checks every call against the caller's grant: the toolsets and the read-only flag of a token
 * apply to each call, whatever its session has listed. The tools enforce the workspace of a grant
 * themselves.
 */
export const enforceGrants: ToolInterceptor = async (call, next, service) =>
  grantError(service, call) ?? next(call);

function grantError(
  { server, tools, allTools = tools }: ToolService,
  { grant, name }: ToolCall,
): ToolOutcome | undefined {
  if (grant === undefined) return undefined;
  const tool = allTools.find((each) => each.name === name);
  if (tool === undefined) return undefined;
  const group = groupOf(server, name);
  if (isGranted(grant, group) && (grant.isReadOnly !== true || tool.annotations.readOnlyHint)) {
    return undefined;
  }
  const { tokenId, toolsets = [ALL_GROUPS], isReadOnly = false } = grant;
  const message =
    `The token ${tokenId} does not allow ${name} (toolset ${group}). It allows: ` +
    `${toolsets.join(', ')}${isReadOnly ? ', read-only tools' : ''}.`;
  const data = { received: name, allowed: { toolsets, read_only: isReadOnly } };
  return { kind: 'result', result: toErrorResult(new AppError('FORBIDDEN', { message, data })) };
}

function isGranted({ toolsets }: Grant, group: string): boolean {
  if (toolsets === undefined || toolsets.includes(ALL_GROUPS)) return true;
  return group === CORE_GROUP || toolsets.includes(group);
}
