import { FEE_BPS } from '../domain/payment.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { ControlDesk } from '../domain/ports/controls.ts';
import type { ChainFacts } from '../domain/ports/payment-chain.ts';
import type { ToolService } from '../domain/tool.ts';
import type { FrontRoute } from '../transport/front-route.ts';
import { controlRoutes } from '../transport/routes/controls/control-routes.ts';
import { gateRoutes } from '../transport/routes/controls/gate-routes.ts';
import { manifestRoutes } from '../transport/routes/well-known/manifest-routes.ts';
import { VERSION } from '../version.ts';

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
