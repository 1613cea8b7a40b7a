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
  settingsUrl: z.string().describe("The service's settings in the dashboard."),
});

/** What the three tools differ in that would update a service. */
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

/** Makes a tool that updates nothing and gives the link to where a person can. */
export function settingsLinkTool(
  { name, title, type }: SettingsLink,
  deps: HostingToolDeps,
): Tool<Input> {
  const kind = type.replace('_', ' ');
  return hostingTool({
    name,
    title,
    description:
      `Changes nothing by itself: it answers with a link to the settings of the ${kind} in the ` +
      'dashboard, where a person can change plan, commands, branch and the rest. Environment ' +
      'variables are changed with update_environment_variables.',
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
        lines: [`Give the link to the user: ${kind} settings are changed there.`],
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
