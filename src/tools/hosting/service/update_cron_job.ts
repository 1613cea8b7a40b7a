import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../deps.ts';
import { createSettingsLinkTool } from '../workspace/settings-link.ts';

/** Creates the tool `update_cron_job`. */
export function updateCronJobTool(deps: HostingToolDeps): Tool {
  const name = 'update_cron_job';
  return createSettingsLinkTool({ name, title: 'Update cron job', type: 'cron_job' }, deps);
}
