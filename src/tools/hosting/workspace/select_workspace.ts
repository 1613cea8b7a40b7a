import { z } from 'zod';
import { INPUT_CHARS_MAX, textSchema } from '../../../domain/hosting/input-text.ts';
import type { Tool, ToolContext } from '../../../domain/tool/tool.ts';
import { RECORD_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { parameterError } from '../parameter-error.ts';
import { findWorkspace, requireGranted } from './workspace.ts';

const Input = z.strictObject({
  ownerID: textSchema(
    INPUT_CHARS_MAX.id,
    'the id of a workspace, as list_workspaces returns it',
  ).describe('The workspace to select in this session.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({ selected: z.string(), deprecated: z.string() });

const DEPRECATED =
  'Selecting a workspace in the session is deprecated and will be removed. Pass workspaceId on ' +
  'each call instead.';

/** Creates the tool `select_workspace`. */
export function selectWorkspaceTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'select_workspace',
    title: 'Select workspace (deprecated)',
    description:
      'Deprecated and scheduled for removal: pass workspaceId on each call instead. Selects the ' +
      'workspace for later calls of this session that name none. The selection ends with the ' +
      'session, and a connection without sessions cannot select one. Use list_workspaces to ' +
      'find the ids and ask the user which one to use. Use get_selected_workspace to see the ' +
      'current selection. Resources do not change.',
    example: { ownerID: 'wks-3f9a' },
    annotations: RECORD_HINTS,
    input: Input,
    output: Output,
    run: async ({ ownerID }, context) => {
      const session = requireSession(context, ownerID);
      requireGranted(ownerID, context.grant, 'ownerID');
      const { id, name } = await findWorkspace(deps, ownerID, 'ownerID');
      session.selectWorkspace(id);
      return {
        line: `Workspace ${id} (${name}) is selected in this session.`,
        lines: [DEPRECATED],
        value: { selected: id, deprecated: DEPRECATED },
      };
    },
  });
}

function requireSession({ session }: ToolContext, received: string) {
  if (session !== undefined) return session;
  throw parameterError(
    {
      path: 'ownerID',
      received,
      allowed: 'nothing: a selection needs a session',
      why:
        'This connection has no sessions, so nothing can be selected in it. Pass ' +
        `workspaceId: ${JSON.stringify(received)} on each call instead.`,
    },
    'WORKSPACE_REQUIRED',
  );
}
