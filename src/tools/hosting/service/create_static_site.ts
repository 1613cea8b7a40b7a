import { z } from 'zod';
import type { Tool } from '../../../domain/tool/tool.ts';
import { CREATE_HINTS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { createHostingTool } from '../hosting-tool.ts';
import { CreatedService, createService } from './create-service.ts';
import { NewServiceFields, SiteFields, UNSUPPORTED_PARAMETERS } from './service-fields.ts';

const Input = z.strictObject({ ...NewServiceFields, ...SiteFields });
type Input = z.infer<typeof Input>;

/** Creates the tool `create_static_site`. */
export function createStaticSiteTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'create_static_site',
    title: 'Create static site',
    description:
      'Create a static site from a Git repository and start its first deploy. The host builds ' +
      'the source with buildCommand and serves the files in publishPath at an address. Without ' +
      'repo, the answer has an address to push the source to. With autoDeploy yes, each new ' +
      'commit on the branch is deployed. For a program that answers HTTP use ' +
      'create_web_service, for a schedule create_cron_job. Follow the deploy with get_deploy.',
    annotations: CREATE_HINTS,
    hides: ['envVars'],
    unsupported: UNSUPPORTED_PARAMETERS,
    input: Input,
    output: CreatedService,
    run: (input, context) => {
      const { buildCommand, publishPath } = input;
      const own = { type: 'static_site', buildCommand, publishPath } as const;
      return createService(deps, { input, context }, own);
    },
  });
}
