import type { Route, RoutedInstance, RouteTable } from '../domain/hosting/routes.ts';

/** The routes by host name, and the number of unfinished requests per instance. */
export class RouteRegistry {
  #table: RouteTable;
  #byHost = new Map<string, Route>();
  /** Unfinished requests and upgraded connections, by instance id. */
  readonly #underWay = new Map<string, number>();

  constructor(table: RouteTable) {
    this.#table = table;
    this.#index();
  }

  get version(): number {
    return this.#table.version;
  }

  get table(): RouteTable {
    return this.#table;
  }

  /**
   * Activates a whole table.
   *
   * @returns `false` if the table is not newer than the active one.
   */
  replace(table: RouteTable): boolean {
    if (table.version <= this.#table.version) return false;
    this.#table = table;
    this.#index();
    return true;
  }

  findRoute(host: string): Route | undefined {
    return this.#byHost.get(host);
  }

  /** Returns the least loaded instance that is not in `tried`. */
  pickInstance(
    instances: readonly RoutedInstance[],
    tried: ReadonlySet<string>,
  ): RoutedInstance | undefined {
    let best: RoutedInstance | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const instance of instances) {
      const load = this.#underWay.get(instance.id) ?? 0;
      if (tried.has(instance.id) || load >= least) continue;
      best = instance;
      least = load;
    }
    return best;
  }

  startRequest(instance: string): void {
    this.#underWay.set(instance, (this.#underWay.get(instance) ?? 0) + 1);
  }

  endRequest(instance: string): void {
    const left = (this.#underWay.get(instance) ?? 1) - 1;
    if (left > 0) this.#underWay.set(instance, left);
    else this.#underWay.delete(instance);
  }

  /** Returns the unfinished requests by instance; instances without any are omitted. */
  underWay(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#underWay);
  }

  #index(): void {
    this.#byHost = new Map();
    for (const route of this.#table.routes) {
      for (const host of route.hosts) this.#byHost.set(host, route);
    }
  }
}
