import type { ToolService } from '../../domain/tool/tool.ts';

/** Returns a tool server with another `call`. Its tool list stays live. */
export function replaceCall(service: ToolService, call: ToolService['call']): ToolService {
  return {
    ...service,
    get tools() {
      return service.tools;
    },
    get listJson() {
      return service.listJson;
    },
    call,
  };
}
