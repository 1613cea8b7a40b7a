import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../hosting-tool.ts';
import { createSettingsLinkTool } from '../workspace/settings-link.ts';

/** Creates the tool `update_cron_job`. */
export function updateCronJobTool(deps: HostingToolDeps): Tool {
  return createSettingsLinkTool('update_cron_job', deps);
}
