import { z } from 'zod';
import type { Service } from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { idSchema, WorkspaceField } from '../inputs.ts';
import { parameterError } from '../parameter-error.ts';
import { findService } from './workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, serviceId: idSchema('the service') });
type Input = z.infer<typeof Input>;

const Output = z.object({
  serviceId: z.string(),
  updated: z.literal(false),
  settingsUrl: z.string().describe('Settings of the service in the dashboard.'),
});

/** The type of service that each update tool is for. */
const SERVICE_TYPES = {
  update_web_service: 'web_service',
  update_static_site: 'static_site',
  update_cron_job: 'cron_job',
} as const satisfies Record<`update_${Service['type']}`, Service['type']>;

/** Creates an update tool that only returns the link to the settings in the dashboard. */
export function createSettingsLinkTool(
  name: keyof typeof SERVICE_TYPES,
  deps: HostingToolDeps,
): Tool<Input> {
  const type = SERVICE_TYPES[name];
  const kind = type.replace('_', ' ');
  return createHostingTool({
    name,
    title: `Update ${kind}`,
    description:
      `Get a link to the settings of a ${kind} in the dashboard. A person can change plan, ` +
      'commands, branch and the rest there. The tool itself changes nothing, so give the link ' +
      'to the user. To change environment variables use update_environment_variables, to deploy ' +
      'trigger_deploy, to read the settings get_service.',
    example: { workspaceId: 'wks-3f9a', serviceId: 'srv-3f9a' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { serviceId } = input;
      const call = { input, context };
      const service = await findService(deps, call, { id: serviceId, path: 'serviceId' });
      if (service.type !== type) throw wrongTypeError(service, kind);
      const settingsUrl = deps.provider.services.settingsUrl(service.id);
      return {
        line: `Nothing was updated. The settings of ${service.name} are at ${settingsUrl}`,
        lines: [`Give the link to the user, who can change the ${kind} settings there.`],
        value: { serviceId: service.id, updated: false, settingsUrl },
      };
    },
  });
}

function wrongTypeError({ id, type }: Service, kind: string) {
  const allowed = `the id of a ${kind}`;
  const why = `It is a ${type.replace('_', ' ')}: use update_${type}.`;
  return parameterError({ path: 'serviceId', received: id, allowed, why });
}
