import { z } from 'zod';
import { PostgresShape } from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, WorkspaceField } from '../inputs.ts';
import { findPostgres } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, postgresId: idSchema('the Postgres') });
type Input = z.infer<typeof Input>;

const Output = z.object({ postgres: PostgresShape });

/** Creates the tool `get_postgres`. */
export function getPostgresTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'get_postgres',
    title: 'Get Postgres details',
    description:
      'Get one Postgres server: plan, version, status, database and user, disk, region and IP ' +
      'allowlist. Use it to see whether a new server is available yet. The password, and ' +
      'connection addresses with it, are never returned. To connect a service, set its variable ' +
      '{key, fromDatabase: {id}} with update_environment_variables. To run SQL use ' +
      'query_hosted_postgres, for load get_metrics. Find the postgresId with ' +
      'list_postgres_instances.',
    example: { workspaceId: 'wks-3f9a', postgresId: 'dpg-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.postgresId, path: 'postgresId' };
      const postgres = await findPostgres(deps, { input, context }, named);
      const { id, name, status, version } = postgres;
      return { line: `${name} (${id}), Postgres ${version}, is ${status}.`, value: { postgres } };
    },
  });
}
