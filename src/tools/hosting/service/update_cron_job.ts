import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../deps.ts';
import { settingsLinkTool } from '../workspace/settings-link.ts';

/** The tool that links to the settings of a cron job, and changes nothing. */
export function updateCronJobTool(deps: HostingToolDeps): Tool {
  const name = 'update_cron_job';
  return settingsLinkTool({ name, title: 'Update cron job', type: 'cron_job' }, deps);
}
