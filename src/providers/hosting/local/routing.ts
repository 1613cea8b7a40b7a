import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { RequestRouter, Route as RouterRoute } from '../../../domain/hosting/routes.ts';
import { writeAtomically } from '../../sandbox/write-atomically.ts';
import type { Layout } from './layout.ts';

/**
 * Default address at which the router reaches programs; some listen on another loopback address.
 */
export const ROUTED_ADDRESS = '127.0.0.1';

/** Address at which a program listens. */
export interface ListeningAddress {
  readonly address: string;
  readonly port: number;
}

/** Route of a service, stored in one file, `<id>.json`, which is replaced atomically. */
export interface ServiceRoute {
  readonly serviceId: string;
  readonly slug: string;
  readonly releaseId: string;
  /** Programs that answer requests; empty for a static site. */
  readonly targets: readonly { readonly instanceId: string; readonly port: number }[];
  /** Folder of a static site's files. */
  readonly files?: string;
}

/** Dependencies of routing. */
export interface RoutingParts {
  readonly layout: Layout;
  /** Absent in tests without a router. */
  readonly router?: RequestRouter;
  /** Domain after the slug in a service's host name. */
  readonly domain: string;
  /** Returns where an instance listens; `undefined` if it is not running. */
  readonly findAddress: (instanceId: string) => ListeningAddress | undefined;
}

/**
 * Stores the routes and sends them to the router. Its promises resolve once they are active there.
 */
export class Routing {
  readonly #parts: RoutingParts;
  readonly #serialize = pLimit(1);
  /** The routes that the router last accepted, as text. */
  #lastSent: string | undefined;

  constructor(parts: RoutingParts) {
    this.#parts = parts;
  }

  async put(route: ServiceRoute): Promise<void> {
    this.#write(route);
    await this.refresh();
  }

  async drop(serviceId: string): Promise<void> {
    rmSync(this.#routeFile(serviceId), { force: true });
    await this.refresh();
  }

  /** Updates the port of a serving instance that was restarted. */
  async onRestarted(instanceId: string): Promise<void> {
    const place = this.#parts.findAddress(instanceId);
    if (place === undefined) return;
    const { port } = place;
    for (const route of this.#routes()) {
      if (!route.targets.some((target) => target.instanceId === instanceId)) continue;
      const targets = route.targets.map((target) =>
        target.instanceId === instanceId ? { instanceId, port } : target,
      );
      this.#write({ ...route, targets });
    }
    await this.refresh();
  }

  /** Sends the current routes to the router if they have changed. */
  refresh(): Promise<void> {
    return this.#serialize(() => this.#sendRoutes());
  }

  underWay(instanceId: string): Promise<number> {
    return this.#parts.router?.countUnfinished(instanceId) ?? Promise.resolve(0);
  }

  async #sendRoutes(): Promise<void> {
    const { router } = this.#parts;
    if (router === undefined) return;
    const routes = this.#routes().map((route) => this.#toRouterRoute(route));
    const text = JSON.stringify(routes);
    if (text === this.#lastSent) return;
    this.#lastSent = undefined;
    await router.replaceRoutes(routes);
    this.#lastSent = text;
  }

  #toRouterRoute(route: ServiceRoute): RouterRoute {
    const { serviceId, slug, files, releaseId } = route;
    const hosts = [`${slug}.${this.#parts.domain}`];
    if (files !== undefined) {
      return { serviceId, hosts, to: { kind: 'files', instance: releaseId, root: files } };
    }
    // The port of a stopped instance may belong to another program by now.
    const instances = route.targets.flatMap(({ instanceId, port }) => {
      const listening = this.#parts.findAddress(instanceId);
      return listening?.port === port ? [{ id: instanceId, address: listening.address, port }] : [];
    });
    if (instances.length === 0) {
      return { serviceId, hosts, to: { kind: 'unavailable', why: 'it is restarting' } };
    }
    return { serviceId, hosts, to: { kind: 'instances', instances } };
  }

  #routes(): readonly ServiceRoute[] {
    const { routes } = this.#parts.layout;
    return readdirSync(routes)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => JSON.parse(readFileSync(join(routes, name), 'utf8')) as ServiceRoute);
  }

  #write(route: ServiceRoute): void {
    writeAtomically(this.#routeFile(route.serviceId), JSON.stringify(route));
  }

  #routeFile(serviceId: string): string {
    return join(this.#parts.layout.routes, `${serviceId}.json`);
  }
}
