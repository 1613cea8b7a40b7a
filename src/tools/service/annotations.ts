import type { ToolAnnotations } from '../../domain/tool/tool.ts';

/** Hints of a tool that only reads. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Hints of a tool that only reads, also what others serve. */
export const READS_OUTSIDE: ToolAnnotations = { ...READS, openWorldHint: true };

/** Hints of a tool that keeps a record here; the same call again keeps no other one. */
export const RECORDS: ToolAnnotations = { ...READS, readOnlyHint: false };

/** Hints of a tool that makes something new: builds and programs reach the world outside. */
export const CREATES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** Hints of a tool that replaces what runs or is set. */
export const REPLACES: ToolAnnotations = { ...CREATES, destructiveHint: true };
