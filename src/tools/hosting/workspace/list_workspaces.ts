import { z } from 'zod';
import { MoreShape, WorkspaceShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { WORKSPACES_PAGE, workspacesOf } from './workspaces.ts';

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const Output = z.object({ workspaces: z.array(WorkspaceShape).readonly(), ...MoreShape });

/** The tool that lists the workspaces that the caller reaches. It selects none. */
export function listWorkspacesTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'list_workspaces',
    title: 'List workspaces',
    description:
      'Lists the workspaces that this caller reaches. Ask the user which one is meant, then pass ' +
      'its id as workspaceId on every call that belongs to it. Nothing is selected by this call, ' +
      'also where there is only one workspace.',
    annotations: READS,
    input: Input,
    output: Output,
    run: async (_input, { grant }) => {
      const { workspaces, hasMore } = await workspacesOf(deps, grant);
      const names = workspaces.map(({ id, name }) => `${id} (${name})`);
      const more = hasMore ? `, the first ${WORKSPACES_PAGE} of more` : '';
      return {
        line: `${workspaces.length} workspaces${more}: ${names.join(', ') || 'none'}`,
        value: { workspaces, hasMore },
      };
    },
  });
}
