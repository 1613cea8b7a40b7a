import type { Clock } from '../../domain/common/clock.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';

/** What the tools of the hosting server work with. */
export interface HostingToolDeps {
  readonly provider: HostingProvider;
  readonly clock: Clock;
  /** The server runs for others and has no address that a database could allow. */
  readonly isHosted?: boolean;
}
