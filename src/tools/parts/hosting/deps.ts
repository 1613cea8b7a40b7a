import type { Clock } from '../../../domain/ports/clock.ts';
import type { HostingProvider } from '../../../domain/ports/hosting.ts';

/** What the tools of the hosting server work with. */
export interface HostingToolDeps {
  readonly provider: HostingProvider;
  readonly clock: Clock;
  /** The server runs for others and has no address that a database could allow. */
  readonly isHosted?: boolean;
}
