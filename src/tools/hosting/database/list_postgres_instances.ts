import { z } from 'zod';
import { MoreShape, PostgresShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { PageFields, pageQuery, WorkspaceField } from '../inputs.ts';
import { countLine, pageOf } from '../page.ts';
import { knownWorkspace } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, ...PageFields });
type Input = z.infer<typeof Input>;

const Output = z.object({ postgres: z.array(PostgresShape).readonly(), ...MoreShape });

/** The tool that lists the Postgres servers of a workspace. */
export function listPostgresInstancesTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'list_postgres_instances',
    title: 'List Postgres instances',
    description:
      'Lists the Postgres servers of a workspace: id, name, plan, version, status, region and IP ' +
      'allowlist. Passwords and addresses with one are in no answer.',
    annotations: READS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { id: ownerId } = await knownWorkspace(deps, { input, context });
      const query = { ownerId, ...pageQuery(input) };
      const { items, more } = pageOf(await deps.provider.postgres.list(query));
      return {
        line: countLine(items.length, 'Postgres instances', ownerId, more),
        lines: items.map(
          ({ id, name, plan, version, status }) =>
            `- ${name} (${id}) Postgres ${version} ${plan} ${status}`,
        ),
        value: { postgres: items, ...more },
      };
    },
  });
}
