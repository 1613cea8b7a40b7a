import type { Clock } from '../../domain/common/clock.ts';
import type { Random } from '../../domain/common/random.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { hostedId } from '../../domain/hosting/ids.ts';
import type { ServiceHost } from '../../domain/hosting/service-host.ts';
import { isSuspendedByHand } from '../../domain/hosting/suspension.ts';
import { holdsRoom } from '../../machines/hosting/service-facts.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import type { HostingDirectory } from './directory.ts';

/** Interval between checks of all branches, in milliseconds. */
const LOOK_MS = 15 * SECOND_MS;

/** Dependencies of the branch watch. */
export interface BranchWatchParts {
  readonly engine: ActorEngine;
  readonly directory: HostingDirectory;
  readonly host: Pick<ServiceHost, 'admit' | 'head'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Overrides the interval, in milliseconds. */
  readonly lookMs?: number;
}

/** Polls the branches of services and notifies the services of new commits. */
export class BranchWatch {
  readonly #parts: BranchWatchParts;
  #cancel: () => void = () => undefined;
  #isStopped = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: BranchWatchParts) {
    this.#parts = parts;
    this.#later();
  }

  /** Checks all branches once. */
  async look(): Promise<void> {
    for (const { id } of await this.#parts.directory.services()) {
      if (this.#isStopped) return;
      // A repository that does not answer must not block the others.
      await this.#lookAt(id).catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  #later(): void {
    const { clock, lookMs = LOOK_MS } = this.#parts;
    if (this.#isStopped) return;
    this.#cancel = clock.at(clock.now() + lookMs, () => {
      this.#looking = this.look()
        .catch(() => undefined)
        .finally(() => this.#later());
    });
  }

  async #lookAt(id: string): Promise<void> {
    const { engine, directory, host, clock, random } = this.#parts;
    const { context } = await directory.service(id);
    const { service, seenCommit, live, current } = context;
    if (service.autoDeploy === 'no' || isSuspendedByHand(service)) return;
    // The current deploy may already be of the newest commit; the next check decides.
    if (current !== null) return;
    const commitId = await host.head(service);
    const at = clock.now();
    if (commitId === null) {
      // Before the first push, the branch does not exist yet.
      if (live !== null) await engine.tell(id, { type: 'BRANCH.GONE', at });
      return;
    }
    if (commitId === seenCommit) return;
    // If there is no capacity now, the next check retries the deploy.
    if (!holdsRoom(context)) await host.admit(service);
    const deployId = hostedId('deploy', random);
    await engine.tell(id, { type: 'BRANCH.MOVED', commitId, isSkipped: false, deployId, at });
  }
}
