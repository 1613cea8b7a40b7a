import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../hosting-tool.ts';
import { createSettingsLinkTool } from '../workspace/settings-link.ts';

/** Creates the tool `update_static_site`. */
export function updateStaticSiteTool(deps: HostingToolDeps): Tool {
  return createSettingsLinkTool('update_static_site', deps);
}
