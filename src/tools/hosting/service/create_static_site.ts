import { z } from 'zod';
import type { Tool } from '../../../domain/tool/tool.ts';
import { CREATE_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
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
    summary:
      'Create a static site from a Git repository, or from a push if repo is omitted, ' +
      'and start its first deploy. buildCommand builds it; the files in publishPath are ' +
      'served. For a program use create_web_service, for a schedule create_cron_job. ' +
      'Follow it with get_deploy.',
    example: {
      workspaceId: 'wks-3f9a',
      name: 'docs',
      repo: 'https://git.example/docs.git',
      buildCommand: 'npm run build',
      publishPath: 'dist',
    },
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
