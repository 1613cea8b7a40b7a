import type { EgressPort } from '../../domain/net/egress.ts';
import { createEgress } from '../../providers/net/egress.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { VERSION } from '../../version.ts';
import type { ServerServices } from '../server/services.ts';

/** Opens the way to third parties. It denies the hosts of `ownHosts`. */
export function openEgress(
  services: Pick<
    ServerServices,
    'config' | 'closers' | 'environment' | 'chain' | 'llm' | 'overrides'
  >,
): EgressPort {
  const { config, overrides } = services;
  const { upstreams } = overrides;
  const contact = config.operatorContact ?? config.publicUrl ?? 'no contact configured';
  const egress = createEgress({
    clock: systemClock(),
    userAgent: `stoa/${VERSION} (+${contact})`,
    // Replacement upstreams may run on this machine, whose addresses are otherwise denied.
    denyHosts: upstreams === undefined ? ownHosts(services) : [],
    allowHosts: upstreams?.hosts ?? [],
  });
  services.closers.add(() => egress.close());
  return services.environment.egress(egress);
}

/** Returns hosts that no caller may make the server call: its own, the chain's and the LLMs'. */
export function ownHosts({
  config,
  chain,
  llm,
}: Pick<ServerServices, 'config' | 'chain' | 'llm'>): readonly string[] {
  return [...llm.hosts, ...hostsOf(config.publicUrl, chain.facts.rpcUrl)];
}

function hostsOf(...urls: readonly (string | undefined)[]): readonly string[] {
  return urls.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
}
