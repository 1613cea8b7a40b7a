import { z } from 'zod';
import { DeployShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { idOf, WorkspaceField } from '../inputs.ts';
import { ownService } from '../workspace/workspace.ts';
import { findDeploy } from './find-deploy.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idOf('the service'),
  deployId: idOf('a deploy of the service'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({ deploy: DeployShape });

/** The tool that tells how one deploy stands, and why it failed. */
export function getDeployTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'get_deploy',
    title: 'Get deploy details',
    description:
      'Answers the record of one deploy: status (created, queued, build_in_progress, ' +
      'build_failed, pre_deploy_in_progress, pre_deploy_failed, update_in_progress, ' +
      'update_failed, live, deactivated, canceled), commit, cause, times, and the reason of a ' +
      'failure. What a build printed is in list_logs with type build.',
    annotations: READS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const service = await ownService(deps, { input, context }, named);
      const deploy = await findDeploy(deps, service.id, input.deployId);
      return { line: `${deploy.id} of ${service.name} is ${deploy.status}.`, value: { deploy } };
    },
  });
}
