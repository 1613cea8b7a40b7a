import { AppError } from '../../domain/common/error.ts';
import { findControlOfTool } from '../../domain/control/control-view.ts';
import type { ControlLabels } from '../../domain/control/controls.ts';
import type { ListedTool, Tool, ToolService } from '../../domain/tool/tool.ts';

type Listing = Pick<ToolService, 'tools' | 'listJson'>;

/** Wraps a tool so that calls fail before any payment while its control is not LIVE. */
export function gateByControl(tool: Tool, labels: ControlLabels | undefined): Tool {
  const control = findControlOfTool(tool.name);
  if (labels === undefined || control === undefined) return tool;
  const ready: Tool['checkReady'] = (input) => {
    const label = labels.labelOf(control);
    if (label === 'LIVE') return tool.checkReady?.(input);
    throw new AppError('CONTROL_OFF', {
      message: `${tool.name} is not sold: its control ${control} is ${label}. You are not charged.`,
      data: { control, label, read: '/a2a/controls' },
    });
  };
  return { ...tool, checkReady: ready };
}

/** Returns a function that lists tools whose controls are LIVE, cached until a label changes. */
export function createListing(
  known: readonly ListedTool[],
  labels: ControlLabels | undefined,
): () => Listing {
  if (labels === undefined) {
    const whole = { tools: known, listJson: JSON.stringify({ tools: known }) };
    return () => whole;
  }
  let changes = -1;
  let listing: Listing = { tools: [], listJson: '' };
  return () => {
    if (changes === labels.changes) return listing;
    changes = labels.changes;
    const tools = known.filter(({ name }) => isOffered(name, labels));
    listing = { tools, listJson: JSON.stringify({ tools }) };
    return listing;
  };
}

function isOffered(tool: string, labels: ControlLabels): boolean {
  const control = findControlOfTool(tool);
  return control === undefined || labels.labelOf(control) === 'LIVE';
}
