import type { ToolServer } from '../../domain/tool/tool.ts';

/** The group of tools without a category. Every selection by groups includes it. */
export const CORE_GROUP = 'core';
/** The name that stands for every group. */
export const ALL_GROUPS = 'all';
/**
 * The group of operations that only another host needs: removal, settings, connection secrets. It
 * has no tools, and `all` does not include it.
 */
export const HOST_GROUP = 'host';

/** Groups of the hosting specification, whose tool names have no category prefix. */
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
/** Commerce tools whose first word is a verb, not a category. */
const UNCATEGORISED = ['get_result'];

/** Returns the group of a tool; on the commerce server, the category prefix of its wire name. */
export function groupOf(server: ToolServer, name: string): string {
  if (server === 'hosting') {
    const found = Object.entries(HOSTING_GROUPS).find(([, names]) => names.includes(name));
    return found?.[0] ?? CORE_GROUP;
  }
  const cut = name.indexOf('_');
  return cut < 1 || UNCATEGORISED.includes(name) ? CORE_GROUP : name.slice(0, cut);
}
