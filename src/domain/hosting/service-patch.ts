import { z } from 'zod';
import {
  BranchName,
  Command,
  INPUT_CHARS_MAX,
  InnerPath,
  SERVICE_BOUNDS,
  textSchema,
} from './input-text.ts';
import { SERVICE_PLANS } from './plans.ts';
import { keysOf } from './records.ts';
import { findScheduleFault } from './schedule.ts';
import { AUTO_DEPLOY } from './value-sets.ts';

const SCHEDULE_CHARS_MAX = 100;

const NeededCommand = Command.refine((text) => text.trim() !== '', 'a command; it cannot be empty');
const HealthPath = z
  .string()
  .max(SERVICE_BOUNDS.pathChars)
  .regex(/^(\/[\x21-\x7e]*)?$/, 'a path that starts with /, or empty');
const Schedule = z
  .string()
  .max(SCHEDULE_CHARS_MAX)
  .superRefine((text, context) => {
    const fault = findScheduleFault(text);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

/**
 * A change of service settings. Absent fields stay unchanged. The provider rejects settings that a
 * service type lacks.
 */
export const ServicePatch = z
  .strictObject({
    name: textSchema(INPUT_CHARS_MAX.name, 'a name'),
    branch: BranchName,
    autoDeploy: z.enum(AUTO_DEPLOY),
    buildCommand: NeededCommand,
    startCommand: NeededCommand,
    preDeployCommand: Command,
    dockerCommand: Command,
    dockerfilePath: InnerPath,
    dockerContext: InnerPath,
    healthCheckPath: HealthPath,
    maxShutdownDelaySeconds: z.int(),
    numInstances: z.int(),
    plan: z.enum(keysOf(SERVICE_PLANS)),
    publishPath: InnerPath,
    schedule: Schedule,
    suspended: z.boolean(),
  })
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, 'at least one setting')
  .readonly();
/** A parsed {@link ServicePatch}. */
export type ServicePatch = z.infer<typeof ServicePatch>;
