import { z } from 'zod';
import type { Tool } from '../../../domain/tool/tool.ts';
import { CREATE_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { CreatedService, createService } from './create-service.ts';
import {
  checkProgram,
  NewServiceFields,
  ProgramFields,
  toProgram,
  UNSUPPORTED_PARAMETERS,
} from './service-fields.ts';

const Input = z.strictObject({ ...NewServiceFields, ...ProgramFields }).superRefine(checkProgram);
type Input = z.infer<typeof Input>;

/** Creates the tool `create_web_service`. */
export function createWebServiceTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'create_web_service',
    title: 'Create web service',
    description:
      'Create a web service from a Git repository and start its first deploy. The host builds ' +
      'the source with buildCommand, starts it with startCommand, and serves it at an address ' +
      'once it listens on PORT. With runtime docker, a Dockerfile defines both commands. ' +
      'Without repo, the answer has an address to push the source to. Prebuilt images from a ' +
      'registry are unsupported. For files only use create_static_site, for a schedule ' +
      'create_cron_job. Follow the deploy with get_deploy.',
    summary:
      'Create a web service from a Git repository, or from a push if repo is omitted, ' +
      'and start its first deploy. buildCommand builds it, startCommand must listen on ' +
      'PORT; with runtime docker a Dockerfile does both. No prebuilt images. For files ' +
      'use create_static_site, for a schedule create_cron_job. Follow it with ' +
      'get_deploy.',
    example: {
      workspaceId: 'wks-3f9a',
      name: 'shop',
      repo: 'https://git.example/shop.git',
      runtime: 'node',
      buildCommand: 'npm ci',
      startCommand: 'npm start',
    },
    annotations: CREATE_HINTS,
    hides: ['envVars'],
    unsupported: UNSUPPORTED_PARAMETERS,
    input: Input,
    output: CreatedService,
    run: (input, context) =>
      createService(deps, { input, context }, { type: 'web_service', ...toProgram(input) }),
  });
}
