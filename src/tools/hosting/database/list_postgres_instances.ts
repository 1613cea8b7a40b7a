import { z } from 'zod';
import { MoreShape, PostgresShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { PAGE_ROWS, PageFields, pageQuery, WorkspaceField } from '../inputs.ts';
import { countLine, pageOf } from '../page.ts';
import { knownWorkspace } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, ...PageFields });
type Input = z.infer<typeof Input>;

const Output = z.object({ postgres: z.array(PostgresShape).readonly(), ...MoreShape });

/** Creates the tool `list_postgres_instances`. */
export function listPostgresInstancesTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'list_postgres_instances',
    title: 'List Postgres instances',
    description:
      'List the Postgres servers of a workspace: id, name, plan, version, status, region and IP ' +
      'allowlist. Use it to find a postgresId; for one server with database, user and disk use ' +
      'get_postgres. To run SQL use query_hosted_postgres, to create a server create_postgres. ' +
      'Passwords and connection addresses with a password are never returned. Up to ' +
      `${PAGE_ROWS.most} per page; pass cursor for the next page.`,
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
