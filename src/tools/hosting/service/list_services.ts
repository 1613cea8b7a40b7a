import { z } from 'zod';
import type { Service } from '../../../domain/hosting/records.ts';
import { MoreShape, ServiceShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { PAGE_ROWS, PageFields, pageQuery, WorkspaceField } from '../inputs.ts';
import { countLine, pageOf } from '../page.ts';
import { knownWorkspace } from '../workspace/workspace.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  includePreviews: z
    .boolean()
    .default(false)
    .describe('Also list preview services. This host creates none.'),
  ...PageFields,
});
type Input = z.infer<typeof Input>;

const Output = z.object({ services: z.array(ServiceShape).readonly(), ...MoreShape });

/** Creates the tool `list_services`. */
export function listServicesTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'list_services',
    title: 'List services',
    description:
      'List the web services, static sites and cron jobs of a workspace. Returns type, address, ' +
      'repository, branch, plan, and whether each is suspended. Use it to find the serviceId ' +
      'that other tools need. For one service with its commands and variable names use ' +
      'get_service. For databases use list_postgres_instances and list_key_value. Up to ' +
      `${PAGE_ROWS.most} per page; pass cursor for the next page.`,
    annotations: READS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { id: ownerId } = await knownWorkspace(deps, { input, context });
      const query = { ownerId, ...pageQuery(input) };
      const { items, more } = pageOf(await deps.provider.services.list(query));
      return {
        line: countLine(items.length, 'services', ownerId, more),
        lines: items.map(lineOf),
        value: { services: items, ...more },
      };
    },
  });
}

function lineOf(service: Service): string {
  const { id, name, type, suspended, serviceDetails: details } = service;
  const where = 'url' in details ? details.url : `schedule ${details.schedule}`;
  return `- ${name} (${id}) ${type} ${where} ${suspended}`;
}
