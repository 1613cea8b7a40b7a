import { z } from 'zod';
import type { Tool } from '../../domain/tool.ts';
import { REPLACES } from '../parts/annotations.ts';
import type { HostingToolDeps } from '../parts/hosting/deps.ts';
import { hostingTool } from '../parts/hosting/hosting-tool.ts';
import { idOf, WorkspaceField } from '../parts/hosting/inputs.ts';
import { EnvVars } from '../parts/hosting/service-fields.ts';
import { ownService } from '../parts/hosting/workspace.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idOf('the service'),
  envVars: EnvVars.describe(
    'The complete list, each {key, value}: it replaces every variable of the service.',
  ),
});
type Input = z.infer<typeof Input>;

const Output = z.object({
  serviceId: z.string(),
  envVarNames: z.array(z.string()).readonly().describe('The variables that there are now.'),
  removed: z.array(z.string()).readonly().describe('Those that are gone.'),
  deployId: z.string().optional(),
});

/** The tool that replaces the variables of a service and deploys it with them. */
export function updateEnvironmentVariablesTool(deps: HostingToolDeps): Tool<Input> {
  const { services } = deps.provider;
  return hostingTool({
    name: 'update_environment_variables',
    title: 'Update environment variables',
    description:
      'Replaces all environment variables of a service with the list given: what is not in it is ' +
      'removed. Then a deploy begins, so that the program runs with them. Values are kept ' +
      'encrypted and are in no answer; get_service tells the names.',
    annotations: REPLACES,
    hides: ['envVars'],
    input: Input,
    output: Output,
    run: async (input, context) => {
      const named = { id: input.serviceId, path: 'serviceId' };
      const { id, name } = await ownService(deps, { input, context }, named);
      const before = await services.envVarNames(id);
      const { deployId } = await services.replaceEnvVars(id, input.envVars);
      const envVarNames = input.envVars.map(({ key }) => key);
      const removed = before.filter((key) => !envVarNames.includes(key));
      const next =
        deployId === undefined ? 'No deploy was begun.' : `Deploy ${deployId} has begun.`;
      return {
        line: `${name} (${id}) has ${envVarNames.length} variables now. ${next}`,
        value: {
          ...{ serviceId: id, envVarNames, removed },
          ...(deployId === undefined ? {} : { deployId }),
        },
      };
    },
  });
}
