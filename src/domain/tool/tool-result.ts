import { type AppError, errorBody } from '../common/error.ts';
import type { JsonObject } from '../common/json.ts';
import { joinResponse } from '../common/readable.ts';
import type { ToolResult } from './tool.ts';

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
