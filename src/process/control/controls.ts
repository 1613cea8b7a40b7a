import type { Clock } from '../../domain/common/clock.ts';
import type { ControlRegistry } from '../../domain/control/controls.ts';
import { FEE_BPS } from '../../domain/payment/payment.ts';
import type { ChainFacts } from '../../domain/payment/payment-chain.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import { controlRoutes } from '../../transport/control/control-routes.ts';
import { guardRoutes } from '../../transport/control/gate-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { manifestRoutes } from '../../transport/manifest/manifest-routes.ts';
import { VERSION } from '../../version.ts';

/** The routes of a server and the sources of its controls. */
export interface ControlledDeps {
  readonly controls: ControlRegistry;
  /** The tools that callers see. */
  readonly offered: Pick<ToolService, 'title' | 'tools'>;
  readonly chain: Pick<ChainFacts, 'network' | 'token'>;
  readonly routes: readonly FrontRoute[];
  /** Returns the server's origin. Called once it listens. */
  origin(): string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Wraps all routes with their controls, and adds the control and manifest routes. */
export function addControlRoutes(parts: ControlledDeps): readonly FrontRoute[] {
  const { controls, offered, chain, clock, origin } = parts;
  const tools = () => offered.tools;
  const all: readonly FrontRoute[] = [
    ...parts.routes,
    ...controlRoutes({ controls, clock, tools, origin }),
    ...manifestRoutes({
      controls,
      tools,
      origin,
      clock,
      startedAt: clock.now(),
      version: VERSION,
      title: offered.title,
      payment: { network: chain.network, asset: chain.token, feeBps: FEE_BPS },
      routes: () => all,
    }),
  ];
  return guardRoutes(all, controls);
}
