import { z } from 'zod';
import {
  ContinuationShape,
  type Workspace,
  WorkspaceShape,
} from '../../../domain/hosting/records.ts';
import type { Grant, Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';

/** Maximum workspaces of one answer. */
const WORKSPACES_PAGE = 100;

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const Output = z.object({ workspaces: z.array(WorkspaceShape).readonly(), ...ContinuationShape });

/** Creates the tool `list_workspaces`. */
export function listWorkspacesTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'list_workspaces',
    title: 'List workspaces',
    description:
      'List the workspaces that this caller can reach, with id and name. Call this first: ask ' +
      'the user which workspace to use, then pass its id as workspaceId on every call that ' +
      'belongs to it. This call selects nothing, even if there is only one workspace. A token ' +
      `for a single workspace lists only that one. Returns at most ${WORKSPACES_PAGE} ` +
      'workspaces. To see a deprecated session selection use get_selected_workspace.',
    example: {},
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (_input, { grant }) => {
      const { workspaces, hasMore } = await listReachableWorkspaces(deps, grant);
      const names = workspaces.map(({ id, name }) => `${id} (${name})`);
      const more = hasMore ? ` (the first ${WORKSPACES_PAGE}; there are more)` : '';
      return {
        line: `${workspaces.length} workspaces${more}: ${names.join(', ') || 'none'}`,
        value: { workspaces, hasMore },
      };
    },
  });
}

/** Returns the workspaces that a caller can reach: the one of its token, or all. */
async function listReachableWorkspaces(
  { provider }: HostingToolDeps,
  grant: Grant | undefined,
): Promise<{ readonly workspaces: readonly Workspace[]; readonly hasMore: boolean }> {
  const own = grant?.workspaceId;
  if (own !== undefined) {
    return { workspaces: [await provider.workspaces.get(own)], hasMore: false };
  }
  const { items, hasMore } = await provider.workspaces.list({ limit: WORKSPACES_PAGE });
  return { workspaces: items.map(({ item }) => item), hasMore };
}
