import { z } from 'zod';
import type { Tool } from '../../../domain/tool/tool.ts';
import { CREATES } from '../../service/annotations.ts';
import { refuseUnknownDatabases } from '../database/database-references.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { knownWorkspace } from '../workspace/workspace.ts';
import { CreatedService, createService } from './create-service.ts';
import {
  checkProgram,
  NewServiceFields,
  OTHER_HOSTS,
  ProgramFields,
  runSpec,
  sourceOf,
} from './service-fields.ts';

const Input = z.strictObject({ ...NewServiceFields, ...ProgramFields }).superRefine(checkProgram);
type Input = z.infer<typeof Input>;

/** The tool that makes a program which answers HTTP. */
export function createWebServiceTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'create_web_service',
    title: 'Create web service',
    description:
      'Creates a web service from a Git repository and begins its first deploy: the source is ' +
      'built with buildCommand, started with startCommand, and reached at an address once it ' +
      'listens on PORT. With runtime docker a Dockerfile says both. Prebuilt images from a ' +
      'registry are unsupported. Without repo the answer has an address to push to.',
    annotations: CREATES,
    hides: ['envVars'],
    unsupported: OTHER_HOSTS,
    input: Input,
    output: CreatedService,
    run: async (input, context) => {
      const { id: ownerId } = await knownWorkspace(deps, { input, context });
      await refuseUnknownDatabases(deps, { input, context }, input.envVars);
      const { name, plan, region, autoDeploy, envVars } = input;
      const run = runSpec(input);
      return createService(deps, {
        ...{ type: 'web_service', ownerId, name, run, plan, region, autoDeploy, envVars },
        ...sourceOf(input),
      });
    },
  });
}
