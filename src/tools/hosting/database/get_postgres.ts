import { z } from 'zod';
import { PostgresShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { idOf, WorkspaceField } from '../inputs.ts';
import { ownPostgres } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, postgresId: idOf('the Postgres') });
type Input = z.infer<typeof Input>;

const Output = z.object({ postgres: PostgresShape });

/** The tool that tells everything of one Postgres server but its secrets. */
export function getPostgresTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'get_postgres',
    title: 'Get Postgres details',
    description:
      'Answers the record of one Postgres server: plan, version, status, database and user, ' +
      'disk, region and IP allowlist. The password, and addresses with it, are in no answer: a ' +
      'variable {key, fromDatabase: {id}} of a service connects it.',
    annotations: READS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.postgresId, path: 'postgresId' };
      const postgres = await ownPostgres(deps, { input, context }, named);
      const { id, name, status, version } = postgres;
      return { line: `${name} (${id}), Postgres ${version}, is ${status}.`, value: { postgres } };
    },
  });
}
