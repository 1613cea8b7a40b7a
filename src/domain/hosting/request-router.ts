import type { Route } from './routes.ts';

/** What brings requests to the programs of services, as a host of services sees it. */
export interface RequestRouter {
  /**
   * Puts routes in force in place of all others, and resolves when they are.
   *
   * @throws {AppError} `HOST_UNAVAILABLE` when no router takes them in time.
   */
  put(routes: readonly Route[]): Promise<void>;
  /** Requests that an instance has not finished; 0 where nobody can tell. */
  underWay(instanceId: string): Promise<number>;
}
