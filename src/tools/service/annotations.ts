import type { ToolAnnotations } from '../../domain/tool/tool.ts';

/** Annotations of a read-only tool. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Annotations of a read-only tool that also reads from external services. */
export const READS_OUTSIDE: ToolAnnotations = { ...READS, openWorldHint: true };

/** Annotations of a tool that stores a record here; a repeated call stores no second one. */
export const RECORDS: ToolAnnotations = { ...READS, readOnlyHint: false };

/** Annotations of a tool that creates a resource; its builds and programs reach the internet. */
export const CREATES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** Annotations of a tool that replaces a running version or a setting. */
export const REPLACES: ToolAnnotations = { ...CREATES, destructiveHint: true };
