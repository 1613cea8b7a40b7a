import { SECOND_MS } from '../../domain/common/time.ts';
import { createHostedId } from '../../domain/hosting/ids.ts';
import type { ServiceHost } from '../../domain/hosting/service-host.ts';
import { isSuspendedByUser } from '../../domain/hosting/suspension.ts';
import { usesCapacity } from '../../machines/hosting/service/context.ts';
import type { Services } from '../common/services.ts';
import type { HostingDirectory } from './hosting-directory.ts';

/** Interval between checks of all branches, in milliseconds. */
const CHECK_INTERVAL_MS = 15 * SECOND_MS;

type Ports = Pick<Services, 'clock' | 'engine' | 'random'> & {
  readonly directory: HostingDirectory;
  readonly host: Pick<ServiceHost, 'admit' | 'newestCommit'>;
  /** Overrides the interval, in milliseconds. */
  readonly intervalMs?: number;
};

/** Polls the branches of services and notifies the services of new commits. */
export class BranchPoller {
  readonly #parts: Ports;
  #cancel: () => void = () => undefined;
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: Ports) {
    this.#parts = parts;
    this.#schedule();
  }

  /** Checks all branches once. */
  async checkAll(): Promise<void> {
    for (const { id } of await this.#parts.directory.services()) {
      if (this.#isStopped) return;
      // A repository that does not answer must not block the others.
      await this.#checkBranch(id).catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  #schedule(): void {
    const { clock, intervalMs = CHECK_INTERVAL_MS } = this.#parts;
    if (this.#isStopped) return;
    this.#cancel = clock.at(clock.now() + intervalMs, () => {
      this.#running = this.checkAll()
        .catch(() => undefined)
        .finally(() => this.#schedule());
    });
  }

  async #checkBranch(id: string): Promise<void> {
    const { engine, directory, host, clock, random } = this.#parts;
    const { context } = await directory.service(id);
    const { service, seenCommit, live, current } = context;
    if (service.autoDeploy === 'no' || isSuspendedByUser(service)) return;
    // The current deploy may already be of the newest commit; the next check decides.
    if (current !== null) return;
    const commitId = await host.newestCommit(service);
    const at = clock.now();
    if (commitId === null) {
      // Before the first push, the branch does not exist yet.
      if (live !== null) await engine.tell(id, { type: 'BRANCH.GONE', at });
      return;
    }
    if (commitId === seenCommit) return;
    // If there is no capacity now, the next check retries the deploy.
    if (!usesCapacity(context)) await host.admit(service);
    const deployId = createHostedId('deploy', random);
    await engine.tell(id, { type: 'BRANCH.MOVED', commitId, isSkipped: false, deployId, at });
  }
}
