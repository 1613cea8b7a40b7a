import type { Sealer } from '../../domain/common/sealer.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import type { Workspace } from '../../domain/hosting/records.ts';
import type { ServiceHistory } from '../../domain/hosting/service-history.ts';
import type { ServiceHost } from '../../domain/hosting/service-host.ts';
import type {
  HostingLogs,
  HostingMetrics,
} from '../../domain/hosting/telemetry/hosting-telemetry.ts';
import type { Services } from '../common/services.ts';
import type { HistoryProjector } from './history-projector.ts';
import type { HostingDirectory } from './hosting-directory.ts';

/** Dependencies of the local hosting provider. */
export interface LocalProviderDeps extends Pick<Services, 'clock' | 'engine' | 'random'> {
  readonly host: ServiceHost;
  readonly directory: HostingDirectory;
  readonly projector: HistoryProjector;
  readonly history: ServiceHistory;
  readonly logs: HostingLogs;
  readonly metrics: HostingMetrics;
  readonly sealer: Sealer;
  readonly workspaces: readonly Workspace[];
  readonly databases: Pick<HostingProvider, 'postgres' | 'keyValue'> & {
    abilities(): Promise<
      Pick<Awaited<ReturnType<HostingProvider['listFeatures']>>, 'postgres' | 'keyValue'>
    >;
  };
  /** Returns the URL of a service by its slug. */
  readonly urlOf: (slug: string) => string;
  /** Returns the console URL of a service or database. */
  readonly pageOf: (resourceId: string) => string;
  /** Reconciles schedules, routes, and files after a service change. */
  readonly reconcile: () => Promise<void>;
}
