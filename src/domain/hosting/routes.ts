import { z } from 'zod';

/** Most services that one router knows. */
export const ROUTES_MAX = 10_000;
/** Most names of one service. */
const HOSTS_MAX = 50;
/** Most instances of one service. */
const INSTANCES_MAX = 64;

const HostName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'a host name in lower case, without a port');

/** A process that answers requests. */
const RoutedInstance = z.strictObject({
  id: z.string().min(1).max(64),
  address: z.union([z.ipv4(), z.ipv6()]),
  port: z.int().min(1).max(65_535),
});

/** Where requests for a service go. */
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
    /** Said to the caller, such as "suspended". */
    why: z.string().min(1).max(200),
  }),
]);

/** One service and its names. */
const Route = z.strictObject({
  serviceId: z.string().min(1).max(64),
  hosts: z.array(HostName).min(1).max(HOSTS_MAX),
  to: RouteTarget,
});

/** All that a router knows. A higher version replaces a lower one as a whole. */
export const RouteTable = z.strictObject({
  version: z.int().min(0),
  routes: z.array(Route).max(ROUTES_MAX),
});

/** See the schema. */
export type RouteTable = z.infer<typeof RouteTable>;
/** See the schema. */
export type Route = z.infer<typeof Route>;
/** See the schema. */
export type RoutedInstance = z.infer<typeof RoutedInstance>;
