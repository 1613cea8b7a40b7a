import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../deps.ts';
import { settingsLinkTool } from '../workspace/settings-link.ts';

/** Creates the tool `update_static_site`. */
export function updateStaticSiteTool(deps: HostingToolDeps): Tool {
  const name = 'update_static_site';
  return settingsLinkTool({ name, title: 'Update static site', type: 'static_site' }, deps);
}
