import type { ToolServer } from '../../domain/tool/tool.ts';

/** The group of tools that belong to no category. A selection by groups always keeps it. */
export const CORE_GROUP = 'core';
/** What a caller writes for every group. */
export const ALL_GROUPS = 'all';
/**
 * What a second host needs beyond the tools: removal, settings, secrets of connection. No tool is
 * in it, and `all` does not mean it.
 */
export const HOST_GROUP = 'host';

/** Headings of the hosting specification; its tool names carry no category. */
const HOSTING_GROUPS: Readonly<Record<string, readonly string[]>> = {
  workspaces: ['list_workspaces', 'select_workspace', 'get_selected_workspace'],
  services: [
    'list_services',
    'get_service',
    'create_web_service',
    'create_static_site',
    'create_cron_job',
    'update_environment_variables',
    'update_web_service',
    'update_static_site',
    'update_cron_job',
  ],
  deploys: ['list_deploys', 'get_deploy', 'trigger_deploy'],
  events: ['list_events'],
  logs: ['list_logs', 'list_log_label_values'],
  metrics: ['get_metrics'],
  postgres: ['query_hosted_postgres', 'list_postgres_instances', 'get_postgres', 'create_postgres'],
  key_value: ['list_key_value', 'get_key_value', 'create_key_value'],
};
/** Commerce tools whose first word is a verb and no category. */
const UNCATEGORISED = ['get_result'];

/** The group of a tool: on the commerce server the category that its wire name begins with. */
export function groupOf(server: ToolServer, name: string): string {
  if (server === 'hosting') {
    const found = Object.entries(HOSTING_GROUPS).find(([, names]) => names.includes(name));
    return found?.[0] ?? CORE_GROUP;
  }
  const cut = name.indexOf('_');
  return cut < 1 || UNCATEGORISED.includes(name) ? CORE_GROUP : name.slice(0, cut);
}
