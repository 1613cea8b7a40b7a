import { z } from 'zod';
import type { Tool, ToolSession } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool } from '../hosting-tool.ts';

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const Output = z.object({
  selected: z.string().nullable(),
  lastSelected: z
    .string()
    .optional()
    .describe('Selected last by this caller, in another session. It is not used.'),
});

const PASS = 'Pass workspaceId on each call; list_workspaces returns the ids.';

/** Creates the tool `get_selected_workspace`. */
export function getSelectedWorkspaceTool(): Tool<Input> {
  return createHostingTool({
    name: 'get_selected_workspace',
    title: 'Get selected workspace',
    description:
      'Get the workspace that is selected in this session; calls without workspaceId use it. No ' +
      'selection is a normal result. Selecting is deprecated: pass workspaceId on each call, ' +
      'and find the ids with list_workspaces. If this caller selected a workspace in another ' +
      'session, the answer names it as lastSelected. The server does not use that one. This ' +
      'call changes nothing.',
    example: {},
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (_input, { session }) => {
      const selected = session?.workspaceId ?? null;
      if (selected !== null) {
        return { line: `Workspace ${selected} is selected.`, lines: [], value: { selected } };
      }
      const last = session?.lastWorkspaceId;
      return {
        line: `No workspace is selected. ${PASS}`,
        lines: linesOf(session),
        value: { selected, ...(last === undefined ? {} : { lastSelected: last }) },
      };
    },
  });
}

function linesOf(session: ToolSession | undefined): readonly string[] {
  if (session === undefined) return ['This connection has no sessions: none can be selected.'];
  const last = session.lastWorkspaceId;
  if (last === undefined) return [];
  return [`Selected last, in another session: ${last}. It is not used.`];
}
