import type { Clock } from '../../domain/common/clock.ts';
import type { ControlDesk } from '../../domain/control/controls.ts';
import { FEE_BPS } from '../../domain/payment/payment.ts';
import type { ChainFacts } from '../../domain/payment/payment-chain.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import { controlRoutes } from '../../transport/control/control-routes.ts';
import { gateRoutes } from '../../transport/control/gate-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { manifestRoutes } from '../../transport/manifest/manifest-routes.ts';
import { VERSION } from '../../version.ts';

/** What stands behind the addresses of a server. */
export interface ControlledParts {
  readonly controls: ControlDesk;
  /** The tools as callers see them. */
  readonly offered: Pick<ToolService, 'title' | 'tools'>;
  readonly chain: Pick<ChainFacts, 'network' | 'token'>;
  readonly routes: readonly FrontRoute[];
  /** Where the server listens; asked when it does. */
  origin(): string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Puts the controls before all addresses, and adds theirs and the manifests. */
export function controlledRoutes(parts: ControlledParts): readonly FrontRoute[] {
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
      begunAt: clock.now(),
      version: VERSION,
      title: offered.title,
      payment: { network: chain.network, asset: chain.token, feeBps: FEE_BPS },
      routes: () => all,
    }),
  ];
  return gateRoutes(all, controls);
}
