import { z } from 'zod';
import type { Tool } from '../../../domain/tool/tool.ts';
import { REPLACES } from '../../service/annotations.ts';
import { refuseUnknownDatabases } from '../database/database-references.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { idOf, WorkspaceField } from '../inputs.ts';
import { ownService } from '../workspace/workspace.ts';
import { describeTurn } from './deploy-turn.ts';
import { EnvVars } from './service-fields.ts';

const Input = z.strictObject({
  ...WorkspaceField,
  serviceId: idOf('the service'),
  envVars: EnvVars.describe(
    'The complete list, each {key, value} or {key, fromDatabase: {id}}: it replaces every ' +
      'variable of the service, unless merge is true.',
  ),
  merge: z
    .boolean()
    .default(false)
    .describe('true sets the variables given and keeps all others of the service.'),
  dryRun: z
    .boolean()
    .default(false)
    .describe('true changes nothing: the answer tells which variables would be removed.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({
  serviceId: z.string(),
  changed: z.boolean().describe('false after dryRun: the lists tell what would be.'),
  envVarNames: z.array(z.string()).readonly().describe('The variables that there are now.'),
  removed: z.array(z.string()).readonly().describe('Those that are gone; no answer has a value.'),
  deployId: z.string().optional(),
});

/** The tool that replaces the variables of a service and deploys it with them. */
export function updateEnvironmentVariablesTool(deps: HostingToolDeps): Tool<Input> {
  const { services } = deps.provider;
  return hostingTool({
    name: 'update_environment_variables',
    title: 'Update environment variables',
    description:
      'Sets environment variables of a service, then begins a deploy so that the program runs ' +
      'with them. By default the list replaces all of them: what is not in it is removed and its ' +
      'value is lost. To change some and keep the rest pass merge true; get_service lists the ' +
      'names, dryRun tells what would be removed. fromDatabase connects a database without ' +
      'anybody seeing its password. The deploy takes the place of one that still builds or ' +
      'starts, and resumes a service that was suspended because of crashes. Values are kept ' +
      'encrypted and are in no answer.',
    annotations: REPLACES,
    hides: ['envVars'],
    input: Input,
    output: Output,
    run: async (input, context) => {
      const call = { input, context };
      const named = { id: input.serviceId, path: 'serviceId' };
      const { id, name } = await ownService(deps, call, named);
      const { envVars, merge, dryRun } = input;
      await refuseUnknownDatabases(deps, call, envVars);
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
        deployId === undefined ? 'No deploy was begun.' : await describeTurn(deps, id, deployId);
      return {
        line: `${name} (${id}) has ${envVarNames.length} variables now.${lost} ${next}`,
        value: deployId === undefined ? lists : { ...lists, deployId },
      };
    },
  });
}
