import { kindOfId } from './ids.ts';

/**
 * Address of the page of a service or a database in the console.
 *
 * @param origin - Without a slash at the end.
 */
export function hostedPage(origin: string, id: string): string {
  const kind = kindOfId(id);
  const isDatabase = kind === 'postgres' || kind === 'key_value';
  const folder = isDatabase ? 'databases' : 'services';
  return `${origin}/console/hosting/${folder}/${encodeURIComponent(id)}`;
}

/** Where the settings of a service are changed: a part of its page. */
export function settingsPage(page: string): string {
  return `${page}/settings`;
}
