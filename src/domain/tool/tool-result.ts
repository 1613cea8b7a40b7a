import { type AppError, errorBody } from '../common/error.ts';
import type { JsonObject } from '../common/json.ts';
import { joinResponse } from '../common/readable.ts';

/** A content block of a tool result. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
    };

/** Result of a tool call (MCP `CallToolResult`). The first line of the text is the answer. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** Converts an error to a tool result: code and message as text, the body as structured content. */
export function toErrorResult(error: AppError): ToolResult {
  const body = errorBody(error);
  const lines = [`${body.error}: ${body.message}`, `See ${body.doc}`];
  return {
    content: [{ type: 'text', text: joinResponse(lines) }],
    structuredContent: JSON.parse(JSON.stringify(body)) as JsonObject,
    isError: true,
  };
}
