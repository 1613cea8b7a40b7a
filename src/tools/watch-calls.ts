import type { ToolService } from '../domain/tool.ts';

/** The same tool server; `begins` is told of each call before it, with what names the call. */
export function watchCalls(
  service: ToolService,
  begins: (name: () => string) => void,
): ToolService {
  return {
    ...service,
    get tools() {
      return service.tools;
    },
    get listJson() {
      return service.listJson;
    },
    call: (call) => {
      begins(() => call.name);
      return service.call(call);
    },
  };
}
