import type { ToolServer } from '../../domain/tool/tool.ts';
import { COMMERCE_TOOLS } from './commerce-tools.ts';
import { HOSTING_TOOLS } from './hosting-tools.ts';

/** The wire names of all tools, in list order: those of the specifications, then further ones. */
export const TOOL_NAMES: Readonly<Record<ToolServer, readonly string[]>> = {
  commerce: Object.keys(COMMERCE_TOOLS),
  hosting: Object.keys(HOSTING_TOOLS),
};
