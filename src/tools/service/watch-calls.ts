import type { ToolService } from '../../domain/tool/tool.ts';
import { replaceCall } from '../payment/replace-call.ts';

/** Wraps a tool server so that it calls `onCall` with the tool’s name before each call. */
export function watchCalls(
  service: ToolService,
  onCall: (name: () => string) => void,
): ToolService {
  return replaceCall(service, (call) => {
    onCall(() => call.name);
    return service.call(call);
  });
}
