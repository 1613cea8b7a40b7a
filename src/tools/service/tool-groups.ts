import type { ToolServer } from '../../domain/tool/tool.ts';
import { HOSTING_TOOLS } from './hosting-tools.ts';

/** The group of tools without a category. Every selection by groups includes it. */
export const CORE_GROUP = 'core';
/** The name that stands for every group. */
export const ALL_GROUPS = 'all';

/** Commerce tools whose first word is a verb, not a category. */
const UNCATEGORISED = ['get_result'];

/** Returns the group of a tool; on the commerce server, the category prefix of its wire name. */
export function groupOf(server: ToolServer, name: string): string {
  if (server === 'hosting') {
    return Object.hasOwn(HOSTING_TOOLS, name)
      ? (HOSTING_TOOLS[name]?.group ?? CORE_GROUP)
      : CORE_GROUP;
  }
  const cut = name.indexOf('_');
  return cut < 1 || UNCATEGORISED.includes(name) ? CORE_GROUP : name.slice(0, cut);
}
