import { z } from 'zod';
import { ServiceShape } from '../../../domain/hosting/shapes.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { idOf, WorkspaceField } from '../inputs.ts';
import { ownService } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, serviceId: idOf('the service') });
type Input = z.infer<typeof Input>;

const Output = z.object({
  service: ServiceShape,
  envVarNames: z.array(z.string()).readonly().describe('Names alone: values are never shown.'),
});

/** The tool that tells everything of one service but the values of its variables. */
export function getServiceTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'get_service',
    title: 'Get service details',
    description:
      'Answers the record of one service: type, address, repository and branch, commands, plan, ' +
      'region, schedule, whether it is suspended and by whom, and the names (never the values) ' +
      'of its environment variables.',
    annotations: READS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const service = await ownService(deps, { input, context }, named);
      const envVarNames = await deps.provider.services.envVarNames(service.id);
      const { id, name, type, suspended } = service;
      return {
        line: `${name} (${id}) is a ${type.replace('_', ' ')}, ${suspended.replace('_', ' ')}.`,
        value: { service, envVarNames },
      };
    },
  });
}
