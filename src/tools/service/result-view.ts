import { RESULT_VIEW } from '../../domain/tool/app-view.ts';
import type { ResourceReader } from './resource-reader.ts';

/** Creates the resource that hosts of MCP Apps load to show a result. It needs no network. */
export function resultViewResource(page: string): ResourceReader {
  const { uri, mimeType } = RESULT_VIEW;
  return {
    resource: RESULT_VIEW,
    read: async (asked) =>
      asked === uri
        ? { uri, mimeType, text: page, _meta: { ui: { csp: {}, prefersBorder: true } } }
        : undefined,
  };
}
