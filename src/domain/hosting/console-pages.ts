import { kindOfId } from './ids.ts';

/**
 * Returns the console address of a service or a database.
 *
 * @param origin - Without a trailing slash.
 */
export function consolePageUrl(origin: string, id: string): string {
  const kind = kindOfId(id);
  const isDatabase = kind === 'postgres' || kind === 'key_value';
  const folder = isDatabase ? 'databases' : 'services';
  return `${origin}/console/hosting/${folder}/${encodeURIComponent(id)}`;
}

/** Returns the settings section of a service page. */
export function settingsPageUrl(page: string): string {
  return `${page}/settings`;
}
