import { z } from 'zod';
import { LOG_LABELS } from '../../../domain/hosting/value-sets.ts';
import type { Tool } from '../../../domain/tool/tool.ts';
import { READS } from '../../service/annotations.ts';
import type { HostingToolDeps } from '../deps.ts';
import { hostingTool } from '../hosting-tool.ts';
import { LogFields, logFilters } from './log-fields.ts';

const Input = z.strictObject({
  ...LogFields,
  label: z.enum(LOG_LABELS).describe('The label whose values are listed.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({
  label: z.enum(LOG_LABELS),
  values: z.array(z.string()).readonly(),
});

/** The tool that lists the values that a label has in the logs. */
export function listLogLabelValuesTool(deps: HostingToolDeps): Tool<Input> {
  return hostingTool({
    name: 'list_log_label_values',
    title: 'List log label values',
    description:
      'Lists the values that a label (host, instance, level, method, statusCode or type) has in ' +
      'the log lines that the filters let through, so that list_logs can be filtered by them.',
    annotations: READS,
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
