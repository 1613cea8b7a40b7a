/** Resource limits of an instance of a plan. */
export interface PlanLimits {
  /** CPU share, in cores. */
  readonly cpu: number;
  /** Memory, in MiB. */
  readonly memoryMib: number;
}

/**
 * Service plans (hosting specification, section 2). The specification names no sizes; these are
 * ours.
 */
export const SERVICE_PLANS = {
  starter: { cpu: 0.5, memoryMib: 512 },
  standard: { cpu: 1, memoryMib: 2_048 },
  pro: { cpu: 2, memoryMib: 4_096 },
  pro_plus: { cpu: 4, memoryMib: 8_192 },
  pro_max: { cpu: 4, memoryMib: 16_384 },
  pro_ultra: { cpu: 8, memoryMib: 32_768 },
} as const satisfies Readonly<Record<string, PlanLimits>>;
/** The name of a service plan. */
export type ServicePlan = keyof typeof SERVICE_PLANS;
/** The plan of a service whose order names none. */
export const DEFAULT_SERVICE_PLAN: ServicePlan = 'starter';

/** Key Value plans. */
export const KEY_VALUE_PLANS = {
  free: { cpu: 0.1, memoryMib: 25 },
  starter: { cpu: 0.25, memoryMib: 256 },
  standard: { cpu: 0.5, memoryMib: 1_024 },
  pro: { cpu: 1, memoryMib: 5_120 },
  pro_plus: { cpu: 2, memoryMib: 10_240 },
} as const satisfies Readonly<Record<string, PlanLimits>>;
/** The name of a Key Value plan. */
export type KeyValuePlan = keyof typeof KEY_VALUE_PLANS;

/** Postgres plans in the order of the specification. Each name contains the memory size. */
export const POSTGRES_PLANS = [
  'free',
  'basic_256mb',
  'basic_1gb',
  'basic_4gb',
  'pro_4gb',
  'pro_8gb',
  'pro_16gb',
  'pro_32gb',
  'pro_64gb',
  'pro_128gb',
  'pro_192gb',
  'pro_256gb',
  'pro_384gb',
  'pro_512gb',
  'accelerated_16gb',
  'accelerated_32gb',
  'accelerated_64gb',
  'accelerated_128gb',
  'accelerated_256gb',
  'accelerated_384gb',
  'accelerated_512gb',
  'accelerated_768gb',
  'accelerated_1024gb',
] as const;
/** The name of a Postgres plan. */
export type PostgresPlan = (typeof POSTGRES_PLANS)[number];

const FREE_POSTGRES: PlanLimits = { cpu: 0.1, memoryMib: 256 };
/** GiB of memory per core, by plan family. */
const GIB_PER_CORE = { basic: 2, pro: 4, accelerated: 8 } as const;
const MIB_PER_GIB = 1_024;

/** Derives the limits of a Postgres plan from the family and memory size in its name. */
export function parsePostgresLimits(plan: PostgresPlan): PlanLimits {
  const parts = /^(basic|pro|accelerated)_(\d+)(mb|gb)$/.exec(plan);
  if (parts === null) return FREE_POSTGRES;
  const [, family, size, unit] = parts;
  const memoryMib = Number(size) * (unit === 'gb' ? MIB_PER_GIB : 1);
  const perCore = GIB_PER_CORE[family === 'basic' || family === 'pro' ? family : 'accelerated'];
  return { cpu: memoryMib / MIB_PER_GIB / perCore, memoryMib };
}
