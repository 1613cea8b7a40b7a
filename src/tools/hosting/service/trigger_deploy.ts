import { z } from 'zod';
import { DeployShape } from '../../../domain/hosting/records.ts';
import { isSuspendedByCrashes } from '../../../domain/hosting/suspension.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { REPLACE_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, WorkspaceField } from '../inputs.ts';
import { findService } from '../workspace/workspace.ts';
import { describeDeployState } from './deploy-state.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idSchema('the service'),
  clearCache: z.boolean().default(false).describe('Whether to clear the build cache.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({ deploy: DeployShape });

/** Creates the tool `trigger_deploy`. */
export function triggerDeployTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'trigger_deploy',
    title: 'Trigger deploy',
    description:
      'Start a deploy of the current commit of a service’s branch. Use it for deploys that do ' +
      'not happen automatically: a service with autoDeploy yes deploys when its branch moves. ' +
      'The deploy replaces one that is still building or starting, which ends as canceled. It ' +
      'also resumes a service that was suspended after repeated crashes. The running version ' +
      'is replaced once the new version is healthy; otherwise it keeps running. Follow the ' +
      'deploy with get_deploy.',
    summary:
      'Deploy the current commit of a service’s branch. It replaces a deploy that is still ' +
      'building, and resumes a service that was suspended after crashes. The running ' +
      'version stays until the new one is healthy. Follow it with get_deploy.',
    example: { workspaceId: 'wks-3f9a', serviceId: 'srv-3f9a' },
    annotations: REPLACE_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const service = await findService(deps, { input, context }, named);
      const { clearCache } = input;
      const order = { clearCache, trigger: 'api' } as const;
      const deploy = await deps.provider.deploys.trigger(service.id, order);
      const turn = await describeDeployState(deps, service.id, deploy.id);
      const isResumed = isSuspendedByCrashes(service);
      return {
        line: `${isResumed ? `${service.name} is resumed. ` : ''}${turn}`,
        value: { deploy },
      };
    },
  });
}
