import { z } from 'zod';
import { LOG_LABELS } from '../../../domain/hosting/value-sets.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READ_ONLY_HINTS } from '../../service/annotations.ts';
import { createHostingTool, type HostingToolDeps } from '../hosting-tool.ts';
import { LogFields, logFilters } from './log-fields.ts';

const Input = z.strictObject({
  ...LogFields,
  label: z.enum(LOG_LABELS).describe('Label whose values to list.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({
  label: z.enum(LOG_LABELS),
  values: z.array(z.string()).readonly(),
});

/** Creates the tool `list_log_label_values`. */
export function listLogLabelValuesTool(deps: HostingToolDeps): Tool<Input> {
  return createHostingTool({
    name: 'list_log_label_values',
    title: 'List log label values',
    description:
      'List the values that a label has in the log lines that match the filters. The label is ' +
      'host, instance, level, method, statusCode or type. Use it to find values for the filters ' +
      'of list_logs, for example which hosts or status codes occur. It takes the same filters ' +
      'as list_logs, without limit. Without times it reads the last hour; logs go 30 days back. ' +
      'To read the lines themselves use list_logs.',
    summary:
      'List the values of a label in the log lines that match the filters, such as ' +
      'hosts or status codes, to filter list_logs by. Default: the last hour, of 30 ' +
      'days. For the lines use list_logs.',
    example: { workspaceId: 'wks-3f9a', resource: ['srv-3f9a'], label: 'statusCode' },
    annotations: READ_ONLY_HINTS,
    input: Input,
    output: Output,
    run: async (input, context) => {
      const { label } = input;
      const filters = await logFilters(deps, { input, context }, input);
      const values = await deps.provider.logs.labelValues({ ...filters, label });
      const said = values.length === 0 ? 'none' : values.join(', ');
      return {
        line: `${values.length} values of ${label}: ${said}`,
        lines: [],
        value: { label, values },
      };
    },
  });
}
