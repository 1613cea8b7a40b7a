import { z } from 'zod';
import { ContinuationShape, PostgresShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { createHostingTool } from '../hosting-tool.ts';
import { PAGE_ROWS, PageFields, toPageQuery, WorkspaceField } from '../inputs.ts';
import { formatCount, toPage } from '../page.ts';
import { requireWorkspace } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, ...PageFields });
type Input = z.infer<typeof Input>;

const Output = z.object({ postgres: z.array(PostgresShape).readonly(), ...ContinuationShape });

/** Creates the tool `list_postgres_instances`. */
export function listPostgresInstancesTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'list_postgres_instances',
    title: 'List Postgres instances',
    description:
      'List the Postgres servers of a workspace: id, name, plan, version, status, region and IP ' +
      'allowlist. Use it to find a postgresId; for one server with database, user and disk use ' +
      'get_postgres. To run SQL use query_hosted_postgres, to create a server create_postgres. ' +
      'Passwords and connection addresses with a password are never returned. Up to ' +
      `${PAGE_ROWS.most} per page; pass cursor for the next page.`,
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { id: ownerId } = await requireWorkspace(deps, { input, context });
      const query = { ownerId, ...toPageQuery(input) };
      const { items, more } = toPage(await deps.provider.postgres.list(query));
      return {
        line: formatCount(items.length, 'Postgres instances', ownerId, more),
        lines: items.map(
          ({ id, name, plan, version, status }) =>
            `- ${name} (${id}) Postgres ${version} ${plan} ${status}`,
        ),
        value: { postgres: items, ...more },
      };
    },
  });
}
