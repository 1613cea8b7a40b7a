import type { Clock } from '../../domain/common/clock.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';

/** Dependencies of the hosting tools. */
export interface HostingToolDeps {
  readonly provider: HostingProvider;
  readonly clock: Clock;
  /** True for a hosted server: it has no address of its own that an IP allowlist could hold. */
  readonly isHosted?: boolean;
}
