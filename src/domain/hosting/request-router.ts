import type { Route } from './routes.ts';

/** The router of service requests, as seen by a service host. */
export interface RequestRouter {
  /**
   * Replaces all routes and resolves when the router has applied them.
   *
   * @throws {AppError} `HOST_UNAVAILABLE` if no router applies them in time.
   */
  replaceRoutes(routes: readonly Route[]): Promise<void>;
  /** Returns the number of unfinished requests of an instance; 0 if unknown. */
  countUnfinished(instanceId: string): Promise<number>;
}
