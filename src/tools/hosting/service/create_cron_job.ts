import { z } from 'zod';
import { findScheduleFault } from '../../../domain/hosting/schedule.ts';
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

const Schedule = z
  .string()
  .superRefine((text, context) => {
    const fault = findScheduleFault(text);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .describe(
    'Schedule in UTC, 5 cron fields: minute 0-59, hour 0-23, day of month 1-31, month 1-12, day ' +
      'of week 0-6 with Sunday 0.',
  );

const Input = z
  .strictObject({ ...NewServiceFields, schedule: Schedule, ...ProgramFields })
  .superRefine(checkProgram);
type Input = z.infer<typeof Input>;

/** Creates the tool `create_cron_job`. */
export function createCronJobTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'create_cron_job',
    title: 'Create cron job',
    description:
      'Create a cron job from a Git repository and start its first deploy. The host builds the ' +
      'source with buildCommand and runs startCommand on the schedule, in UTC, never two runs ' +
      'at once. With runtime docker, a Dockerfile defines both commands. Without repo, the ' +
      'answer has an address to push the source to. Prebuilt images are unsupported. For a ' +
      'program that answers HTTP use create_web_service. See its runs with list_events and ' +
      'their output with list_logs.',
    summary:
      'Create a cron job from a Git repository, or from a push if repo is omitted. ' +
      'buildCommand builds it; startCommand runs on the schedule in UTC, never twice at ' +
      'once. For a program that answers HTTP use create_web_service. See its runs with ' +
      'list_events.',
    example: {
      workspaceId: 'wks-3f9a',
      name: 'report',
      repo: 'https://git.example/report.git',
      runtime: 'python',
      buildCommand: 'true',
      startCommand: 'python report.py',
      schedule: '0 6 * * *',
    },
    annotations: CREATE_HINTS,
    hides: ['envVars'],
    unsupported: UNSUPPORTED_PARAMETERS,
    input: Input,
    output: CreatedService,
    run: (input, context) => {
      const { schedule } = input;
      const own = { type: 'cron_job', schedule, ...toProgram(input) } as const;
      return createService(deps, { input, context }, own);
    },
  });
}
