import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../deps.ts';
import { createSettingsLinkTool } from '../workspace/settings-link.ts';

/** Creates the tool `update_static_site`. */
export function updateStaticSiteTool(deps: HostingToolDeps): Tool {
  const name = 'update_static_site';
  return createSettingsLinkTool({ name, title: 'Update static site', type: 'static_site' }, deps);
}
