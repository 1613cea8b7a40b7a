import { z } from 'zod';
import { DeployShape } from '../../../domain/hosting/shapes.ts';
import { isSuspendedByCrashes } from '../../../domain/hosting/suspension.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { REPLACES } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { idOf, WorkspaceField } from '../inputs.ts';
import { ownService } from '../workspace/workspace.ts';
import { describeTurn } from './deploy-turn.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idOf('the service'),
  clearCache: z.boolean().default(false).describe('Whether what former builds kept is cleared.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({ deploy: DeployShape });

/** The tool that begins a deploy of what the branch holds now. */
export function triggerDeployTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'trigger_deploy',
    title: 'Trigger deploy',
    description:
      'Begins a deploy of what the branch of a service holds now. For deploys that do not happen ' +
      'by themselves: a service with autoDeploy yes deploys when its branch moves. It takes the ' +
      'place of a deploy that still builds or starts, which ends as canceled, and it resumes a ' +
      'service that was suspended because its program ended again and again. What runs is ' +
      'replaced once the new version is healthy; otherwise it goes on.',
    annotations: REPLACES,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const service = await ownService(deps, { input, context }, named);
      const { clearCache } = input;
      const order = { clearCache, trigger: 'api' } as const;
      const deploy = await deps.provider.deploys.trigger(service.id, order);
      const turn = await describeTurn(deps, service.id, deploy.id);
      const isResumed = isSuspendedByCrashes(service);
      return {
        line: `${isResumed ? `${service.name} is resumed. ` : ''}${turn}`,
        value: { deploy },
      };
    },
  });
}
