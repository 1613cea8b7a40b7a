import type { ToolService } from '../../domain/tool/tool.ts';

/** The same tool server, with another way to call a tool. Its list of tools stays the live one. */
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
