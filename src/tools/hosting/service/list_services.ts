import { z } from 'zod';
import { ContinuationShape, type Service, ServiceShape } from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { PAGE_ROWS, PageFields, WorkspaceField } from '../inputs.ts';
import { listOwned } from '../page.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  includePreviews: z
    .boolean()
    .default(false)
    .describe('Also list preview services. This host creates none.'),
  ...PageFields,
});
type Input = z.infer<typeof Input>;

const Output = z.object({ services: z.array(ServiceShape).readonly(), ...ContinuationShape });

/** Creates the tool `list_services`. */
export function listServicesTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'list_services',
    title: 'List services',
    description:
      'List the web services, static sites and cron jobs of a workspace. Returns type, address, ' +
      'repository, branch, plan, and whether each is suspended. Use it to find the serviceId ' +
      'that other tools need. For one service with its commands and variable names use ' +
      'get_service. For databases use list_postgres_instances and list_key_value. Up to ' +
      `${PAGE_ROWS.most} per page; pass cursor for the next page.`,
    example: { workspaceId: 'wks-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { items, more, text } = await listOwned(
        deps,
        { input, context },
        { what: 'services', list: (query) => deps.provider.services.list(query), lineOf },
      );
      return { ...text, value: { services: items, ...more } };
    },
  });
}

function lineOf(service: Service): string {
  const { id, name, type, suspended, serviceDetails: details } = service;
  const where = 'url' in details ? details.url : `schedule ${details.schedule}`;
  return `- ${name} (${id}) ${type} ${where} ${suspended}`;
}
