import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../hosting-tool.ts';
import { createSettingsLinkTool } from '../workspace/settings-link.ts';

/** Creates the tool `update_web_service`. */
export function updateWebServiceTool(deps: HostingToolDeps): Tool {
  return createSettingsLinkTool('update_web_service', deps);
}
