import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../deps.ts';
import { createSettingsLinkTool } from '../workspace/settings-link.ts';

/** Creates the tool `update_web_service`. */
export function updateWebServiceTool(deps: HostingToolDeps): Tool {
  const name = 'update_web_service';
  return createSettingsLinkTool({ name, title: 'Update web service', type: 'web_service' }, deps);
}
