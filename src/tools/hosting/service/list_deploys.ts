import { z } from 'zod';
import type { Deploy } from '../../../domain/hosting/records.ts';
import { DeployShape, MoreShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { idOf, PageFields, pageQuery, WorkspaceField } from '../inputs.ts';
import { countLine, pageOf } from '../page.ts';
import { ownService } from '../workspace/workspace.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idOf('the service'),
  ...PageFields,
});
type Input = z.infer<typeof Input>;

const Output = z.object({ deploys: z.array(DeployShape).readonly(), ...MoreShape });

/** The tool that lists the deploys of a service. */
export function listDeploysTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'list_deploys',
    title: 'List deploys',
    description:
      'Lists the deploys of a service, the newest first: commit, status, what caused each, when, ' +
      'and why it failed.',
    annotations: READS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const { id: serviceId } = await ownService(deps, { input, context }, named);
      const query = { serviceId, ...pageQuery(input) };
      const { items, more } = pageOf(await deps.provider.deploys.list(query));
      return {
        line: countLine(items.length, 'deploys', serviceId, more),
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
