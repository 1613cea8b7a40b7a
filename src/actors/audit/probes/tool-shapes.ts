import {
  type DefinitionDefect,
  findExfiltration,
  findHintDefects,
  findOverBroad,
} from '../../../domain/audit/probe/definition-defects.ts';
import {
  type Definition,
  RECON_NAME_CHARS_MAX,
  type Recon,
} from '../../../domain/audit/probe/recon.ts';
import type { AsiCategory, Severity } from '../../../domain/audit/records.ts';
import { findLookalikes } from '../../../domain/audit/text/lookalikes.ts';
import { findOverreach } from '../../../domain/audit/text/overreach.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { createProbe } from '../session/create-probe.ts';
import {
  faultlessToolEvidence,
  LISTING_REQUESTS_MAX,
  listingEvidence,
  readDefinitions,
} from '../session/listed-definitions.ts';
import type { Probe, Sighting } from '../session/probe.ts';

/** Detects fields that collect the conversation or secrets. */
export const exfiltrationFields = createShapeProbe({
  probeId: 'exfiltration-fields',
  category: 'ASI02',
  title: 'Fields carry the surroundings of a call away',
  severity: 'medium',
  remediation: 'Request only what the work needs, in clearly named fields.',
  faults: findExfiltration,
});

/** Detects tools that execute arbitrary orders. */
export const overBroadTools = createShapeProbe({
  probeId: 'over-broad-tools',
  category: 'ASI02',
  title: 'Tools do whatever they are told',
  severity: 'medium',
  remediation: 'Offer one tool per task, with enums and limits in its schema.',
  faults: findOverBroad,
});

/** Detects acting tools whose hints are missing. */
export const actingHints = createShapeProbe({
  probeId: 'acting-hints',
  category: 'ASI02',
  title: 'Tools act, and their hints do not say so',
  severity: 'medium',
  remediation: 'Set readOnlyHint and destructiveHint to match the tool.',
  faults: (tool) => findHintDefects(tool).filter(({ fault }) => fault === 'unannotated'),
});

/** Detects hints that contradict the tool name. */
export const misleadingHints = createShapeProbe({
  probeId: 'misleading-hints',
  category: 'ASI09',
  title: 'Hints say the opposite of what the tool does',
  severity: 'medium',
  remediation: 'Set readOnlyHint and destructiveHint to match the tool.',
  faults: (tool) => findHintDefects(tool).filter(({ fault }) => fault === 'misleading'),
});

/** Detects tools that request data which their purpose does not justify. */
export const plainOverReach = createShapeProbe({
  probeId: 'plain-over-reach',
  category: 'ASI09',
  title: 'Tools ask for more than they say they are for',
  severity: 'medium',
  remediation: 'Request only what the work needs, and explain why.',
  faults: (tool) =>
    findOverreach(tool).map(({ what, place }) => ({
      fault: 'over-broad' as const,
      place,
      why: `requests ${what}, which its purpose does not justify`,
    })),
});

/** Detects tools that imitate others, or describe what happens to calls of other tools. */
export const shadowing = createProbe({
  probeId: 'shadowing',
  version: 2,
  category: 'ASI04',
  mode: 'passive',
  title: 'Tools pass for others, or take over their calls',
  requestsMax: LISTING_REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const recon = await readDefinitions(session, focus);
    const overlong = findOverlong(recon);
    if (recon.tools.length === 0 && overlong.length === 0) return NO_TOOLS;
    const found = findLookalikes(recon).map(({ tool, other, why }): Sighting => {
      const definition = recon.tools.find(({ name }) => name === tool);
      return {
        title: `"${tool}" ${why}: "${other}"`,
        severity: 'medium',
        status: 'indicator',
        ...(definition === undefined ? {} : { tool }),
        evidence: listingEvidence(tool, 'definition', JSON.stringify(definition ?? { name: tool })),
        control: null,
        remediation: 'Give tools distinct names, and describe only the tool itself.',
      };
    });
    return { outcome: 'looked', subjects: toolNames(recon), findings: [...overlong, ...found] };
  },
});

/** Returns one finding for all definitions with overlong names. */
function findOverlong({ overlong = [] }: Recon): readonly Sighting[] {
  if (overlong.length === 0) return [];
  return [
    {
      title: `Names are longer than ${RECON_NAME_CHARS_MAX} characters`,
      severity: 'medium',
      status: 'unreproduced',
      evidence: listingEvidence('listings', 'name', overlong.map((name) => `${name}…`).join('\n')),
      control: null,
      remediation: 'Use short names. These were not examined further.',
    },
  ];
}

interface ShapePlan {
  readonly probeId: string;
  readonly category: AsiCategory;
  readonly title: string;
  readonly severity: Severity;
  readonly remediation: string;
  faults(tool: Definition): readonly DefinitionDefect[];
}

const NO_TOOLS = { outcome: 'not_applicable', reason: 'the target lists no tools' } as const;

function createShapeProbe(plan: ShapePlan): Probe {
  const { probeId, category, title, severity, remediation, faults } = plan;
  return createProbe({
    probeId,
    version: 1,
    category,
    mode: 'passive',
    title,
    requestsMax: LISTING_REQUESTS_MAX,
    totalMs: MINUTE_MS,
    look: async (session, focus) => {
      const recon = await readDefinitions(session, focus);
      if (recon.tools.length === 0) return NO_TOOLS;
      const control = faultlessToolEvidence(recon.tools, (tool) => faults(tool).length > 0);
      const findings = recon.tools.flatMap((tool) =>
        faults(tool).map(
          (fault): Sighting => ({
            title: `${title}: ${fault.place}`,
            severity,
            status: 'indicator',
            tool: tool.name,
            evidence: listingEvidence(
              tool.name,
              fault.place,
              `${fault.why}\n${JSON.stringify(tool)}`,
            ),
            control,
            remediation,
          }),
        ),
      );
      return { outcome: 'looked', subjects: toolNames(recon), findings };
    },
  });
}

function toolNames({ tools }: Recon): readonly string[] {
  return tools.map(({ name }) => name);
}
