import type { Tool } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../deps.ts';
import { settingsLinkTool } from '../workspace/settings-link.ts';

/** The tool that links to the settings of a static site, and changes nothing. */
export function updateStaticSiteTool(deps: HostingToolDeps): Tool {
  const name = 'update_static_site';
  return settingsLinkTool({ name, title: 'Update static site', type: 'static_site' }, deps);
}
