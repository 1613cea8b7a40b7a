import { AppError } from '../../domain/common/error.ts';
import { listControlsOfPath } from '../../domain/control/control-view.ts';
import type { ControlLabels } from '../../domain/control/controls.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { errorReply } from '../proof/replies.ts';

/**
 * Wraps routes so that a control that is not LIVE answers `CONTROL_OFF`. The check precedes any
 * payment.
 */
export function guardRoutes(
  routes: readonly FrontRoute[],
  labels: ControlLabels,
): readonly FrontRoute[] {
  return routes.map((route) => ({
    ...route,
    handle: (exchange) => {
      const { method, path } = exchange.request;
      const closed = listControlsOfPath(method, path).find((id) => labels.labelOf(id) !== 'LIVE');
      if (closed === undefined) return route.handle(exchange);
      return exchange.reply(errorReply(controlOff(closed, labels)));
    },
  }));
}

function controlOff(
  control: Parameters<ControlLabels['labelOf']>[0],
  labels: ControlLabels,
): AppError {
  const label = labels.labelOf(control);
  return new AppError('CONTROL_OFF', {
    message: `The control ${control} is ${label}; you are not charged.`,
    data: { control, label, read: '/a2a/controls' },
  });
}
