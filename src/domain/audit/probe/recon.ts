import { z } from 'zod';

/** Maximum number of tools examined; more set `isCut`. */
export const RECON_TOOLS_MAX = 200;
/** Maximum number of prompts, resources and templates examined, each. */
export const RECON_LISTED_MAX = 100;
/** Maximum length of one definition; longer ones are skipped and set `isCut`. */
export const RECON_DEFINITION_CHARS_MAX = 40_000;
/**
 * Maximum length of a name; definitions with longer names are skipped and reported as a finding.
 */
export const RECON_NAME_CHARS_MAX = 200;
/** Maximum bytes of all definitions together; more set `isCut`. */
export const RECON_BYTES_MAX = 4 * 1_048_576;

/** A definition as the target listed it. Only its name is validated. */
export const Definition = z.looseObject({ name: z.string() });
/** A parsed {@link Definition}. */
export type Definition = z.infer<typeof Definition>;

/** Hashes over full definitions, to detect changes. */
export const TargetPins = z.object({
  /** SHA-256 over all pins below and the greeting. */
  whole: z.string(),
  /** By tool name, over the canonical JSON of the full definition. */
  tools: z.record(z.string(), z.string()),
  /** By name or URI, over prompts, resources and templates. */
  others: z.record(z.string(), z.string()),
  /** Over the instructions and server name; `null` without a greeting. */
  greeting: z.string().nullable(),
});
/** A parsed {@link TargetPins}. */
export type TargetPins = z.infer<typeof TargetPins>;

/** Self-description of a target, as any client receives it. Plain JSON that can be stored. */
export const Recon = z.object({
  kind: z.enum(['mcp_http', 'mcp_stdio', 'a2a_card']),
  origin: z.string(),
  /** IP address in use. */
  pinnedAddress: z.string().nullable(),
  /** `refused`: the target requires credentials. */
  access: z.enum(['open', 'refused']),
  greeting: z
    .object({
      protocolVersion: z.string(),
      serverInfo: z.object({ name: z.string(), version: z.string() }),
      capabilities: z.record(z.string(), z.unknown()),
      instructions: z.string().nullable(),
    })
    .nullable(),
  tools: z.array(Definition),
  prompts: z.array(Definition),
  resources: z.array(Definition),
  templates: z.array(Definition),
  /** Agent card; A2A targets only. */
  card: z.record(z.string(), z.unknown()).nullable(),
  pins: TargetPins,
  /** True if the target listed more than was examined. */
  isCut: z.boolean(),
  /** Beginnings of the first few names that exceed the length limit. */
  overlong: z.array(z.string()).optional(),
});
/** A parsed {@link Recon}. */
export type Recon = z.infer<typeof Recon>;
