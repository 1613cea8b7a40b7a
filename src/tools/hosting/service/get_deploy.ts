import { z } from 'zod';
import { AppError } from '../../../domain/common/error.ts';
import { type Deploy, DeployShape } from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, WorkspaceField } from '../inputs.ts';
import { parameterError } from '../parameter-error.ts';
import { findService } from '../workspace/workspace.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idSchema('the service'),
  deployId: idSchema('a deploy of the service'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({ deploy: DeployShape });

/** Creates the tool `get_deploy`. */
export function getDeployTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'get_deploy',
    title: 'Get deploy details',
    description:
      'Get one deploy: its status, commit, trigger, times, and the reason of a failure. The ' +
      'status is created, queued, build_in_progress, build_failed, pre_deploy_in_progress, ' +
      'pre_deploy_failed, update_in_progress, update_failed, live, deactivated or canceled. Use ' +
      'it to follow a deploy until it is live. Find the deployId with list_deploys. For what ' +
      'the build printed use list_logs with type build, for a crash after the deploy ' +
      'list_events.',
    summary:
      'Get one deploy: status, commit, trigger, times and the reason of a failure. Use ' +
      'it until the deploy is live or has failed. Find the deployId with list_deploys. ' +
      'For build output use list_logs with type build, for a later crash list_events.',
    example: { workspaceId: 'wks-3f9a', serviceId: 'srv-3f9a', deployId: 'dep-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const service = await findService(deps, { input, context }, named);
      const deploy = await findDeploy(deps, service.id, input.deployId);
      return { line: `${deploy.id} of ${service.name} is ${deploy.status}.`, value: { deploy } };
    },
  });
}

/**
 * Finds a deploy of a service.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN` naming the parameter, also for a deploy of another service.
 */
async function findDeploy(
  { provider }: HostingToolDeps,
  serviceId: string,
  deployId: string,
): Promise<Deploy> {
  try {
    return await provider.deploys.get(serviceId, deployId);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'RESOURCE_UNKNOWN') throw cause;
    const allowed = `a deploy of ${serviceId}, as list_deploys returns it`;
    throw parameterError({ path: 'deployId', received: deployId, allowed, cause }, cause.code);
  }
}
