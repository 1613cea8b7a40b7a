import type { AlertHistory } from '../../domain/alert/view.ts';
import { BoardGate } from '../a2a/board-gate.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { json } from '../proof/ask.ts';
import { type FreeParts, freeRoute } from './free-call.ts';

/** The base path of alerts. */
export const ALERTS_PATH = '/a2a/alerts/';

/** The dependencies of the alert routes. */
export interface AlertRouteParts extends FreeParts {
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
export function alertRoutes(parts: AlertRouteParts): readonly FrontRoute[] {
  const { alerts } = parts;
  const shared = { ...parts, gate: new BoardGate(parts.clock, parts.limitsLocalCallers) };
  return [
    freeRoute(shared, { method: 'GET', path: ALERTS_PATH }, async ({ id }) =>
      json(200, await alerts.read(id)),
    ),
    freeRoute(shared, { method: 'DELETE', path: ALERTS_PATH }, async ({ id }) =>
      json(200, await alerts.remove(id)),
    ),
    freeRoute(shared, { method: 'POST', path: ALERTS_PATH, suffix: '/rearm' }, async ({ id }) =>
      json(200, await alerts.rearm(id)),
    ),
  ];
}
