import { AppError } from '../../domain/common/error.ts';
import type {
  Grant,
  ListedTool,
  ToolCall,
  ToolOutcome,
  ToolService,
} from '../../domain/tool/tool.ts';
import { toErrorResult } from '../../domain/tool/tool-result.ts';
import { replaceCall } from './intercept-calls.ts';
import { ALL_GROUPS, CORE_GROUP, groupOf } from './tool-groups.ts';

/**
 * Wraps a tool server so that it checks every call against the caller's grant: the toolsets and the
 * read-only flag of a token apply to each call, whatever its session has listed. The tools enforce
 * the workspace of a grant themselves.
 */
export function enforceGrants(service: ToolService): ToolService {
  const tools = new Map((service.allTools ?? service.tools).map((tool) => [tool.name, tool]));
  return replaceCall(
    service,
    async (call) => grantError(service, tools.get(call.name), call) ?? service.call(call),
  );
}

function grantError(
  { server }: ToolService,
  tool: ListedTool | undefined,
  { grant, name }: ToolCall,
): ToolOutcome | undefined {
  if (grant === undefined || tool === undefined) return undefined;
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
