import { z } from 'zod';
import type { Service } from '../../../domain/hosting/records.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { parameterFault } from '../fault.ts';
import { hostingTool } from '../hosting-tool.ts';
import { idOf, WorkspaceField } from '../inputs.ts';
import { ownService } from './workspace.ts';

const Input = z.strictObject({ ...WorkspaceField, serviceId: idOf('the service') });
type Input = z.infer<typeof Input>;

const Output = z.object({
  serviceId: z.string(),
  updated: z.literal(false),
  settingsUrl: z.string().describe('Settings of the service in the dashboard.'),
});

/** The properties in which the three update tools differ. */
export interface SettingsLink {
  readonly name: string;
  readonly title: string;
  readonly type: Service['type'];
}

const TOOL_OF: Readonly<Record<Service['type'], string>> = {
  web_service: 'update_web_service',
  static_site: 'update_static_site',
  cron_job: 'update_cron_job',
};

/** Creates an update tool that only returns the link to the settings in the dashboard. */
export function settingsLinkTool(
  { name, title, type }: SettingsLink,
  deps: HostingToolDeps,
): Tool<Input> {
  const kind = type.replace('_', ' ');
  return hostingTool({
    name,
    title,
    description:
      `Get a link to the settings of a ${kind} in the dashboard. A person can change plan, ` +
      'commands, branch and the rest there. The tool itself changes nothing, so give the link ' +
      'to the user. To change environment variables use update_environment_variables. To deploy ' +
      'the current commit use trigger_deploy. To read the current settings use get_service. ' +
      'Find the serviceId with list_services.',
    annotations: READS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { serviceId } = input;
      const call = { input, context };
      const service = await ownService(deps, call, { id: serviceId, path: 'serviceId' });
      if (service.type !== type) throw otherType(service, kind);
      const settingsUrl = deps.provider.services.settingsUrl(service.id);
      return {
        line: `Nothing was updated. The settings of ${service.name} are at ${settingsUrl}`,
        lines: [`Give the link to the user, who can change the ${kind} settings there.`],
        value: { serviceId: service.id, updated: false, settingsUrl },
      };
    },
  });
}

function otherType({ id, type }: Service, kind: string) {
  const allowed = `the id of a ${kind}`;
  const why = `It is a ${type.replace('_', ' ')}: use ${TOOL_OF[type]}.`;
  return parameterFault({ path: 'serviceId', received: id, allowed, why });
}
