import { z } from 'zod';
import { ContinuationShape, type Deploy, DeployShape } from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, PAGE_ROWS, PageFields, toPageQuery, WorkspaceField } from '../inputs.ts';
import { formatCount, toPage } from '../page.ts';
import { findService } from '../workspace/workspace.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idSchema('the service'),
  ...PageFields,
});
type Input = z.infer<typeof Input>;

const Output = z.object({ deploys: z.array(DeployShape).readonly(), ...ContinuationShape });

/** Creates the tool `list_deploys`. */
export function listDeploysTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'list_deploys',
    title: 'List deploys',
    description:
      'List the deploys of a service, newest first: commit, status, trigger, times, and the ' +
      'reason of a failure. Use it to find a deployId or the live deploy. For one deploy use ' +
      'get_deploy, for build output list_logs with type build. To start a new deploy use ' +
      `trigger_deploy. Find the serviceId with list_services. Up to ${PAGE_ROWS.most} per page; ` +
      'pass cursor for the next page.',
    example: { workspaceId: 'wks-3f9a', serviceId: 'srv-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const { id: serviceId } = await findService(deps, { input, context }, named);
      const query = { serviceId, ...toPageQuery(input) };
      const { items, more } = toPage(await deps.provider.deploys.list(query));
      return {
        line: formatCount(items.length, 'deploys', serviceId, more),
        lines: items.map(lineOf),
        value: { deploys: items, ...more },
      };
    },
  });
}

function lineOf({ id, status, trigger, createdAt, commit }: Deploy): string {
  const [subject = ''] = (commit?.message ?? '').split('\n');
  const source = commit === null ? '' : ` ${commit.id.slice(0, 12)} ${subject}`;
  return `- ${id} ${status} (${trigger}) ${createdAt}${source}`;
}
