import type { AlertHistory } from '../../domain/alert/view.ts';
import { BoardRateLimiter } from '../a2a/board-rate-limiter.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { jsonReply } from '../proof/replies.ts';
import { type FreeRouteDeps, freeRoute } from './free-route.ts';

/** The base path of alerts. */
export const ALERTS_PATH = '/a2a/alerts/';

/** The dependencies of the alert routes. */
export interface AlertRouteDeps extends FreeRouteDeps {
  readonly alerts: {
    read(alertId: string): Promise<AlertHistory>;
    rearm(alertId: string): Promise<AlertHistory>;
    remove(alertId: string): Promise<AlertHistory>;
  };
}

/**
 * Creates `GET` and `DELETE /a2a/alerts/<id>`, and `POST /a2a/alerts/<id>/rearm`. The id grants
 * access.
 */
export function alertRoutes(parts: AlertRouteDeps): readonly FrontRoute[] {
  const { alerts } = parts;
  const shared = { ...parts, gate: new BoardRateLimiter(parts.clock, parts.limitsLocalCallers) };
  return [
    freeRoute(shared, { method: 'GET', path: ALERTS_PATH }, async ({ id }) =>
      jsonReply(200, await alerts.read(id)),
    ),
    freeRoute(shared, { method: 'DELETE', path: ALERTS_PATH }, async ({ id }) =>
      jsonReply(200, await alerts.remove(id)),
    ),
    freeRoute(shared, { method: 'POST', path: ALERTS_PATH, suffix: '/rearm' }, async ({ id }) =>
      jsonReply(200, await alerts.rearm(id)),
    ),
  ];
}
