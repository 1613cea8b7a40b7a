import { z } from 'zod';
import type { Tool } from '../../../domain/tool/tool.ts';
import { REPLACE_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, WorkspaceField } from '../inputs.ts';
import { checkDatabaseReferences, findService } from '../workspace/workspace.ts';
import { describeDeployState } from './deploy-state.ts';
import { EnvVars } from './service-fields.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idSchema('the service'),
  envVars: EnvVars.describe(
    'The complete list, each {key, value} or {key, fromDatabase: {id}}. It replaces all ' +
      'variables of the service, unless merge is true.',
  ),
  merge: z.boolean().default(false).describe('true sets the given variables and keeps all others.'),
  dryRun: z
    .boolean()
    .default(false)
    .describe('true changes nothing; the answer lists the variables that would be removed.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({
  serviceId: z.string(),
  changed: z.boolean().describe('false after dryRun: the lists show what would change.'),
  envVarNames: z.array(z.string()).readonly().describe('Names of all variables now.'),
  removed: z.array(z.string()).readonly().describe('Names of the removed variables.'),
  deployId: z.string().optional(),
});

/** Creates the tool `update_environment_variables`. */
export function updateEnvironmentVariablesTool(deps: HostingToolDeps): Tool<Input> {
  const { services } = deps.provider;
  return createHostingTool({
    name: 'update_environment_variables',
    title: 'Update environment variables',
    description:
      'Set environment variables of a service, then start a deploy that applies them. By ' +
      'default envVars replaces the complete list: variables that are not in it are removed and ' +
      'their values are lost. To change some and keep the rest, pass merge true. get_service ' +
      'lists the current names; dryRun true shows what would be removed. fromDatabase connects ' +
      'a database without showing its password to anyone. The deploy replaces one that is ' +
      'still building or starting. It also resumes a service that was suspended because of ' +
      'crashes. ' +
      'Values are stored encrypted and never returned.',
    summary:
      'Set environment variables of a service and start a deploy that applies them. ' +
      'envVars replaces all of them unless merge is true; dryRun shows what would be ' +
      'removed. fromDatabase connects a database without showing its password. ' +
      'get_service lists the names.',
    example: {
      workspaceId: 'wks-3f9a',
      serviceId: 'srv-3f9a',
      envVars: [{ key: 'MODE', value: 'live' }],
      merge: true,
    },
    annotations: REPLACE_HINTS,
    hides: ['envVars'],
    input: Input,
    output: Output,
    run: async (input, context) => {
      const call = { input, context };
      const named = { id: input.serviceId, path: 'serviceId' };
      const { id, name } = await findService(deps, call, named);
      const { envVars, merge, dryRun } = input;
      await checkDatabaseReferences(deps, call, envVars);
      const before = await services.envVarNames(id);
      const given = envVars.map(({ key }) => key);
      const envVarNames = merge ? [...new Set([...before, ...given])] : given;
      const removed = before.filter((key) => !envVarNames.includes(key));
      const lists = { serviceId: id, changed: !dryRun, envVarNames, removed };
      const lost = removed.length === 0 ? '' : ` Removed: ${removed.join(', ')}.`;
      if (dryRun) {
        const would = removed.length === 0 ? 'remove none' : `remove ${removed.join(', ')}`;
        const line = `Nothing was changed. ${name} (${id}) would have ${envVarNames.length}`;
        return { line: `${line} variables; the call would ${would}.`, value: lists };
      }
      const { deployId } = await services.replaceEnvVars(id, envVars, { isMerged: merge });
      const next =
        deployId === undefined
          ? 'No deploy was started.'
          : await describeDeployState(deps, id, deployId);
      return {
        line: `${name} (${id}) now has ${envVarNames.length} variables.${lost} ${next}`,
        value: deployId === undefined ? lists : { ...lists, deployId },
      };
    },
  });
}
