import type { Clock } from '../../domain/common/clock.ts';
import type { Random } from '../../domain/common/random.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { hostedId } from '../../domain/hosting/ids.ts';
import type { ServiceHost } from '../../domain/hosting/service-host.ts';
import { isSuspendedByHand } from '../../domain/hosting/suspension.ts';
import { holdsRoom } from '../../machines/hosting/service-facts.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import type { HostingDirectory } from './directory.ts';

/** Time between two looks at all branches, in milliseconds. */
const LOOK_MS = 15 * SECOND_MS;

/** What branches are followed with. */
export interface BranchWatchParts {
  readonly engine: ActorEngine;
  readonly directory: HostingDirectory;
  readonly host: Pick<ServiceHost, 'admit' | 'head'>;
  readonly clock: Clock;
  readonly random: Random;
  /** In place of 15 seconds. */
  readonly lookMs?: number;
}

/** Looks at the branches that services follow, and tells the services what has moved. */
export class BranchWatch {
  readonly #parts: BranchWatchParts;
  #cancel: () => void = () => undefined;
  #isStopped = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: BranchWatchParts) {
    this.#parts = parts;
    this.#later();
  }

  /** Looks once, now. */
  async look(): Promise<void> {
    for (const { id } of await this.#parts.directory.services()) {
      if (this.#isStopped) return;
      // One address that does not answer keeps nobody else waiting for the next look.
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
    // What is being deployed may be the newest commit; the next look knows.
    if (current !== null) return;
    const commitId = await host.head(service);
    const at = clock.now();
    if (commitId === null) {
      // Before the first push there is no branch that could have gone.
      if (live !== null) await engine.tell(id, { type: 'BRANCH.GONE', at });
      return;
    }
    if (commitId === seenCommit) return;
    // What finds no room now is looked for again, and deployed once there is some.
    if (!holdsRoom(context)) await host.admit(service);
    const deployId = hostedId('deploy', random);
    await engine.tell(id, { type: 'BRANCH.MOVED', commitId, isSkipped: false, deployId, at });
  }
}
