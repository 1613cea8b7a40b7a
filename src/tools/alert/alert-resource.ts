import type { Alerts } from '../../actors/alert/alerts.ts';
import { AppError } from '../../domain/common/error.ts';
import type { ResourceContent } from '../../domain/tool/tool.ts';

/** Resource template of alerts. */
export const ALERT_RESOURCE = {
  uriTemplate: 'stoa://alerts/{alert_id}',
  name: 'Alert',
  description: 'State and history of an alert, for anyone who knows its id.',
  mimeType: 'application/json',
} as const;

const ADDRESS = /^stoa:\/\/alerts\/([a-z0-9_]{1,100})$/;

/**
 * Reads `stoa://alerts/{alert_id}`.
 *
 * @returns `undefined` for other URIs and for unknown ids.
 */
export async function readAlertResource(
  alerts: Pick<Alerts, 'read'>,
  uri: string,
): Promise<ResourceContent | undefined> {
  const alertId = ADDRESS.exec(uri)?.[1];
  if (alertId === undefined) return undefined;
  try {
    const text = JSON.stringify(await alerts.read(alertId));
    return { uri, mimeType: ALERT_RESOURCE.mimeType, text };
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'ALERT_UNKNOWN') return undefined;
    throw thrown;
  }
}
