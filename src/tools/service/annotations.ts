import type { ToolAnnotations } from '../../domain/tool/tool.ts';

/** Annotations of a read-only tool. */
export const READ_ONLY_HINTS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Annotations of a read-only tool that also reads from external services. */
export const OPEN_WORLD_READ_HINTS: ToolAnnotations = { ...READ_ONLY_HINTS, openWorldHint: true };

/** Annotations of a tool that stores a record here; a repeated call stores no second one. */
export const RECORD_HINTS: ToolAnnotations = { ...READ_ONLY_HINTS, readOnlyHint: false };

/** Annotations of a tool that creates a resource; its builds and programs reach the internet. */
export const CREATE_HINTS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** Annotations of a tool that replaces a running version or a setting. */
export const REPLACE_HINTS: ToolAnnotations = { ...CREATE_HINTS, destructiveHint: true };
