import type { Services } from '../../actors/common/services.ts';
import { FEE_BPS } from '../../domain/payment/payment.ts';
import type { ChainFacts } from '../../domain/payment/payment-chain.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import { controlRoutes } from '../../transport/control/control-routes.ts';
import { guardRoutes } from '../../transport/control/gate-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { manifestRoutes } from '../../transport/manifest/manifest-routes.ts';
import { VERSION } from '../../version.ts';
import { createCardSigner } from '../agent-protocol/card-signer.ts';

/** The tools of both servers. */
export interface OfferedTools {
  readonly offered: Pick<ToolService, 'title' | 'tools' | 'jobs'>;
  readonly hosting?: Pick<ToolService, 'tools'> | undefined;
}

/** Wraps all routes with their controls, and adds the control and manifest routes. */
export function addControlRoutes(
  services: Pick<Services, 'clock' | 'controls' | 'seal'> & {
    readonly chain: { readonly facts: Pick<ChainFacts, 'network' | 'token'> };
    readonly origin: { current(): string };
  },
  { offered, hosting }: OfferedTools,
  routes: readonly FrontRoute[],
): readonly FrontRoute[] {
  const { chain, clock, controls, origin } = services;
  const { network, token: asset } = chain.facts;
  const shared = { controls, clock, origin: origin.current, tools: () => offered.tools };
  const all: readonly FrontRoute[] = [
    ...routes,
    ...controlRoutes(shared),
    ...manifestRoutes({
      ...shared,
      startedAt: clock.now(),
      version: VERSION,
      title: offered.title,
      payment: { network, asset, feeBps: FEE_BPS },
      routes: () => all,
      isJob: (name) => offered.jobs?.toolNames.has(name) === true,
      hostingTools: hosting?.tools ?? [],
      signer: createCardSigner(services.seal),
    }),
  ];
  return guardRoutes(all, controls);
}
