import type { Tool } from '../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../hosting/hosting-tool.ts';
import { defineTool } from './define-tool.ts';
import { HOSTING_TOOLS } from './hosting-tools.ts';

/** Returns the hosting tools in the order of their list. */
export function hostingTools(deps: HostingToolDeps): readonly Tool[] {
  return Object.values(HOSTING_TOOLS).map(({ make }) => defineTool(make(deps)));
}
