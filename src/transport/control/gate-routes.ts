import { AppError } from '../../domain/common/error.ts';
import type { ControlLabels } from '../../domain/control/controls.ts';
import { controlsOfPath } from '../../domain/control/standing.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { refusal } from '../proof/ask.ts';

/**
 * Wraps routes so that a control that is not LIVE answers `CONTROL_OFF`. The check precedes any
 * payment.
 */
export function gateRoutes(
  routes: readonly FrontRoute[],
  labels: ControlLabels,
): readonly FrontRoute[] {
  return routes.map((route) => ({
    ...route,
    handle: (exchange) => {
      const { method, path } = exchange.request;
      const closed = controlsOfPath(method, path).find((id) => labels.now(id) !== 'LIVE');
      if (closed === undefined) return route.handle(exchange);
      return exchange.reply(refusal(controlOff(closed, labels)));
    },
  }));
}

function controlOff(control: Parameters<ControlLabels['now']>[0], labels: ControlLabels): AppError {
  const label = labels.now(control);
  return new AppError('CONTROL_OFF', {
    message: `The control ${control} is ${label}; you are not charged.`,
    data: { control, label, read: '/a2a/controls' },
  });
}
