import { z } from 'zod';
import {
  ContinuationShape,
  type Postgres,
  PostgresShape,
} from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { PAGE_ROWS } from '../inputs.ts';
import { listOwned, OwnedListInput } from '../page.ts';

type Input = z.infer<typeof OwnedListInput>;

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
    example: { workspaceId: 'wks-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: OwnedListInput,
    output: Output,
    run: async (input, context) => {
      const { items, more, text } = await listOwned(
        deps,
        { input, context },
        { what: 'Postgres instances', list: (query) => deps.provider.postgres.list(query), lineOf },
      );
      return { ...text, value: { postgres: items, ...more } };
    },
  });
}

function lineOf({ id, name, plan, version, status }: Postgres): string {
  return `- ${name} (${id}) Postgres ${version} ${plan} ${status}`;
}
