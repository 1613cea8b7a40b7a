import { z } from 'zod';

/** Maximum number of services of one router. */
export const ROUTES_MAX = 10_000;
/** Maximum number of host names of one service. */
const HOSTS_MAX = 50;
/** Maximum number of instances of one service. */
const INSTANCES_MAX = 64;

const HostName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'a host name in lower case, without a port');

/** A process that serves requests. */
const RoutedInstance = z.strictObject({
  id: z.string().min(1).max(64),
  address: z.union([z.ipv4(), z.ipv6()]),
  port: z.int().min(1).max(65_535),
});

/** Destination of the requests of a service. */
const RouteTarget = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('instances'),
    instances: z.array(RoutedInstance).min(1).max(INSTANCES_MAX),
  }),
  z.strictObject({
    kind: z.literal('files'),
    instance: z.string().min(1).max(64),
    /** Absolute path of the published files. */
    root: z.string().startsWith('/'),
  }),
  z.strictObject({
    kind: z.literal('unavailable'),
    /** Reason shown to the caller, such as "suspended". */
    why: z.string().min(1).max(200),
  }),
]);

/** The host names of one service and their destination. */
const Route = z.strictObject({
  serviceId: z.string().min(1).max(64),
  hosts: z.array(HostName).min(1).max(HOSTS_MAX),
  to: RouteTarget,
});

/** The complete routing table. A table with a higher version replaces a lower one entirely. */
export const RouteTable = z.strictObject({
  version: z.int().min(0),
  routes: z.array(Route).max(ROUTES_MAX),
});

/** A validated routing table. */
export type RouteTable = z.infer<typeof RouteTable>;
/** A validated route. */
export type Route = z.infer<typeof Route>;
/** A validated instance address. */
export type RoutedInstance = z.infer<typeof RoutedInstance>;

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
