import { z } from 'zod';
import { ServiceShape } from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, WorkspaceField } from '../inputs.ts';
import { findService } from '../workspace/workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, serviceId: idSchema('the service') });
type Input = z.infer<typeof Input>;

const Output = z.object({
  service: ServiceShape,
  envVarNames: z.array(z.string()).readonly().describe('Names only; values are never returned.'),
});

/** Creates the tool `get_service`. */
export function getServiceTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'get_service',
    title: 'Get service details',
    description:
      'Get one service in detail: type, address, repository and branch, commands, plan, region, ' +
      'schedule, and whether it is suspended and by whom. Also returns the names of its ' +
      'environment variables, never their values. Find the serviceId with list_services. For ' +
      'its deploys use list_deploys, for the reason of a failure list_events, for its output ' +
      'list_logs, and for its load get_metrics. Changes nothing.',
    example: { workspaceId: 'wks-3f9a', serviceId: 'srv-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const service = await findService(deps, { input, context }, named);
      const envVarNames = await deps.provider.services.envVarNames(service.id);
      const { id, name, type, suspended } = service;
      return {
        line: `${name} (${id}) is a ${type.replace('_', ' ')}, ${suspended.replace('_', ' ')}.`,
        value: { service, envVarNames },
      };
    },
  });
}
