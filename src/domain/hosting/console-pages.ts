/** Address of a service's page in the console. `origin` is without a slash at the end. */
export function servicePage(origin: string, id: string): string {
  return `${origin}/console/hosting/services/${encodeURIComponent(id)}`;
}

/** Address of the page where the settings of a service are changed. */
export function serviceSettingsPage(origin: string, id: string): string {
  return `${servicePage(origin, id)}/settings`;
}

/** Address of a database's page in the console, where its allowlist is changed. */
export function databasePage(origin: string, id: string): string {
  return `${origin}/console/hosting/databases/${encodeURIComponent(id)}`;
}
