import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../deps.ts';
import { settingsLinkTool } from '../workspace/settings-link.ts';

/** Creates the tool `update_cron_job`. */
export function updateCronJobTool(deps: HostingToolDeps): Tool {
  const name = 'update_cron_job';
  return settingsLinkTool({ name, title: 'Update cron job', type: 'cron_job' }, deps);
}
