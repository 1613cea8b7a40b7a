import type { DeployContext } from '../../machines/hosting/deploy/context.ts';
import type { ServiceContext } from '../../machines/hosting/service/context.ts';
import { isOfKind, typeView } from '../../runtime/engine/typed-actors.ts';
import type { ActorEngine, ListChange, View } from '../../runtime/engine/types.ts';
import { listAll } from '../common/actor-lists.ts';
import { findActor, findOfKind } from '../common/find-actor.ts';
import { deployKind } from './definitions/deploy.ts';
import { serviceKind } from './definitions/service.ts';
import { type ListPosition, unknownResourceError } from './page.ts';

/** A service in the directory. */
export interface ServiceRow extends ListPosition {
  readonly ownerId: string;
}

/** A deploy in the directory. */
export interface DeployRow extends ListPosition {
  readonly serviceId: string;
}

/**
 * Indexes services and deploys in memory. It holds ids only; details are read from the actors. It
 * is built at the start and follows later changes.
 */
export class HostingDirectory {
  readonly #engine: ActorEngine;
  readonly #services = new Map<string, ServiceRow>();
  readonly #deploys = new Map<string, DeployRow>();
  readonly #pendingReads = new Set<Promise<void>>();
  readonly #stopWatching: () => void;

  private constructor(engine: ActorEngine) {
    this.#engine = engine;
    this.#stopWatching = engine.watchList((change) => this.#onChange(change));
  }

  static async start(engine: ActorEngine): Promise<HostingDirectory> {
    const directory = new HostingDirectory(engine);
    for (const kind of [serviceKind.kind, deployKind.kind]) {
      for (const { id } of await listAll(engine, { kind, limit: 1_000 })) await directory.#read(id);
    }
    return directory;
  }

  /** Lists services that have not been removed. */
  async services(): Promise<readonly ServiceRow[]> {
    await this.#waitUntilCurrent();
    return [...this.#services.values()];
  }

  /** Lists the retained deploys of a service. */
  async deploysOf(serviceId: string): Promise<readonly DeployRow[]> {
    await this.#waitUntilCurrent();
    return [...this.#deploys.values()].filter((row) => row.serviceId === serviceId);
  }

  /**
   * Returns a service that has not been removed.
   *
   * @throws {AppError} `RESOURCE_UNKNOWN`
   */
  async service(id: string): Promise<{ readonly view: View; readonly context: ServiceContext }> {
    const view = await findOfKind(this.#engine, id, serviceKind);
    if (view === undefined || view.value === 'removed' || view.value === 'gone') {
      throw unknownResourceError(id);
    }
    return { view, context: serviceContext(view) };
  }

  /**
   * Returns a deploy of a service.
   *
   * @throws {AppError} `RESOURCE_UNKNOWN`
   */
  async deploy(
    serviceId: string,
    id: string,
  ): Promise<{ readonly view: View; readonly context: DeployContext }> {
    await this.service(serviceId);
    const view = await findOfKind(this.#engine, id, deployKind);
    if (view === undefined || view.value === 'forgotten') throw unknownResourceError(id);
    const context = deployContext(view);
    if (context.input.service.id !== serviceId) throw unknownResourceError(id);
    return { view, context };
  }

  close(): void {
    this.#stopWatching();
  }

  async #waitUntilCurrent(): Promise<void> {
    while (this.#pendingReads.size > 0) await Promise.all(this.#pendingReads);
  }

  #onChange({ before, after }: ListChange): void {
    const row = after ?? before;
    if (row?.kind !== serviceKind.kind && row?.kind !== deployKind.kind) return;
    if (before !== undefined && before.state === after?.state) return;
    const reading = this.#read(row.id)
      .catch(() => undefined)
      .finally(() => this.#pendingReads.delete(reading));
    this.#pendingReads.add(reading);
  }

  async #read(id: string): Promise<void> {
    const view = await findActor(this.#engine, id);
    const isGone =
      view === undefined || ['removed', 'gone', 'forgotten'].includes(String(view.value));
    if (isGone) {
      this.#services.delete(id);
      this.#deploys.delete(id);
      return;
    }
    const { createdAt } = view;
    if (isOfKind(serviceKind, view)) {
      const { ownerId } = view.context.service;
      this.#services.set(id, { id, createdAt, ownerId });
    } else {
      const serviceId = deployContext(view).input.service.id;
      this.#deploys.set(id, { id, createdAt, serviceId });
    }
  }
}

/** Returns the context of a service actor. */
export function serviceContext(view: View): ServiceContext {
  return typeView(serviceKind, view).context;
}

/** Returns the context of a deploy actor. */
export function deployContext(view: View): DeployContext {
  return typeView(deployKind, view).context;
}
