import { z } from 'zod';
import type { Tool, ToolSession } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import { hostingTool } from '../hosting-tool.ts';

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const Output = z.object({
  selected: z.string().nullable(),
  lastSelected: z
    .string()
    .optional()
    .describe('Selected last by this caller, in a session that is not this one. It is not used.'),
});

const PASS = 'Pass workspaceId on each call; list_workspaces tells which there are.';

/** The tool that says which workspace is selected in the session, if any. */
export function getSelectedWorkspaceTool(): Tool<Input> {
  return hostingTool({
    name: 'get_selected_workspace',
    title: 'Get selected workspace',
    description:
      'Says which workspace is selected in this session: the one that calls are about which name ' +
      'none. None is an ordinary answer. Selecting is deprecated: pass workspaceId on each call.',
    annotations: READS,
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
  return [`Selected last, in a session that is not this one: ${last}. It is not used.`];
}
