import { z } from 'zod';

/** Tools of a target that are looked at; more make the recon `isCut`. */
export const RECON_TOOLS_MAX = 200;
/** Prompts, resources and templates of a target that are looked at, each. */
export const RECON_LISTED_MAX = 100;
/** Characters of one definition that are kept; longer ones are left out and make it `isCut`. */
export const RECON_DEFINITION_CHARS_MAX = 40_000;
/** Characters of a name; a definition with a longer one is left out, and told as a finding. */
export const RECON_NAME_CHARS_MAX = 200;
/** Bytes of all definitions together that are kept; more make the recon `isCut`. */
export const RECON_BYTES_MAX = 4 * 1_048_576;

/** A definition as the target listed it, whole: nothing is checked but that it bears a name. */
export const Definition = z.looseObject({ name: z.string() });
/** See {@link Definition}. */
export type Definition = z.infer<typeof Definition>;

/** Hashes over whole definitions, to see when one changes. */
export const TargetPins = z.object({
  /** SHA-256 over everything below and the greeting. */
  whole: z.string(),
  /** By name of the tool, over the canonical JSON of its whole definition. */
  tools: z.record(z.string(), z.string()),
  /** By name or address, over prompts, resources and templates. */
  others: z.record(z.string(), z.string()),
  /** Over the instructions and the server's name; `null` where there was no greeting. */
  greeting: z.string().nullable(),
});
/** See {@link TargetPins}. */
export type TargetPins = z.infer<typeof TargetPins>;

/** What a target tells any client. Plain JSON, so that it can be kept and handed on. */
export const Recon = z.object({
  kind: z.enum(['mcp_http', 'mcp_stdio', 'a2a_card']),
  origin: z.string(),
  /** The IP address that was connected to. */
  pinnedAddress: z.string().nullable(),
  /** `refused`: it wants credentials before it tells anything. */
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
  /** The agent card of A2A targets. */
  card: z.record(z.string(), z.unknown()).nullable(),
  pins: TargetPins,
  /** True when the target listed more than is looked at. */
  isCut: z.boolean(),
  /** How names begin that are longer than is looked at; the first few. */
  overlong: z.array(z.string()).optional(),
});
/** See {@link Recon}. */
export type Recon = z.infer<typeof Recon>;
